import { CompetitionName, ProblemName } from "@kernelbot/core";
import {
  Course,
  CourseStudents,
  EnrolRequest,
  ExtensionRequest,
  OwnCourse,
  RosterRequest,
  RosterResult,
  SimilarPairs,
  StudentRequest,
} from "./messages.ts";
import { CourseSpec } from "./rules.ts";
import { z } from "zod";
import { get, ORGANISER, post, put } from "@kernelbot/api/contract";

const Address = z.object({ name: CompetitionName });

/** Contracts of the endpoints of courses. */
export const courseContracts = {
  get: get("/competitions/{name}/course", {
    summary: "Get the assignments and grading rules of a course",
    scope: null,
    params: Address,
    answers: { 200: { description: "Current settings", schema: Course } },
  }),

  set: put("/competitions/{name}/course", {
    summary: "Make a competition that the caller organises a course, or replace its settings",
    ...ORGANISER,
    params: Address,
    body: CourseSpec,
    answers: {
      200: { description: "Current settings", schema: Course },
      409: { description: "An assignment is not a board of the competition, or closes after it" },
    },
  }),

  students: get("/competitions/{name}/course/students", {
    summary: "List the students of a course that the caller organises, with deadlines, submissions and grades",
    ...ORGANISER,
    params: Address,
    answers: { 200: { description: "Students by name", schema: CourseStudents } },
  }),

  importRoster: post("/competitions/{name}/course/roster", {
    summary: "Add and update students from CSV",
    ...ORGANISER,
    params: Address,
    body: RosterRequest,
    isIdempotent: true,
    answers: { 200: { description: "Numbers of changed students", schema: RosterResult } },
  }),

  removeStudent: post("/competitions/{name}/course/students/remove", {
    summary: "Remove a student from the roster; the account remains a member of the competition",
    ...ORGANISER,
    params: Address,
    body: StudentRequest,
    answers: { 204: { description: "Student removed" } },
  }),

  releaseStudent: post("/competitions/{name}/course/students/release", {
    summary: "Separate a student from the account, so that another account can enrol",
    ...ORGANISER,
    params: Address,
    body: StudentRequest,
    isIdempotent: true,
    answers: { 204: { description: "Student without an account" } },
  }),

  extend: put("/competitions/{name}/course/extensions", {
    summary: "Set or remove the extended deadline of a student in an assignment",
    ...ORGANISER,
    params: Address,
    body: ExtensionRequest,
    answers: {
      204: { description: "Deadline set or removed" },
      409: { description: "The competition closes before the extended deadline and its late days" },
    },
  }),

  similar: get("/competitions/{name}/course/similar", {
    summary: "List pairs of similar graded submissions to an assignment",
    ...ORGANISER,
    params: Address,
    query: z.object({ problem: ProblemName }),
    answers: { 200: { description: "Pairs, the most similar first", schema: SimilarPairs } },
  }),

  own: get("/competitions/{name}/course/me", {
    summary: "Get the caller's own deadlines, submissions and grades in a course",
    scope: "read",
    params: Address,
    answers: { 200: { description: "The course and the caller's row of the roster", schema: OwnCourse } },
  }),

  enrol: post("/competitions/{name}/course/enrol", {
    summary: "Match the caller's account with a student of the roster",
    scope: "submit",
    params: Address,
    body: EnrolRequest,
    isIdempotent: true,
    answers: {
      200: { description: "Enrolled, now or with an earlier request", schema: OwnCourse },
      404: { description: "No student with one of the caller's verified addresses, or with the entered one" },
      409: { description: "The student is matched with another account, or the course requires a verified address" },
    },
  }),
};
