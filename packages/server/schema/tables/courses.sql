-- Courses: competitions with a roster of students, deadlines of their own, and grades.

create table course (
  competition text primary key references competition (name),
  enrolment text not null check (enrolment in ('verified_email', 'entered_email')),
  scores_of text
);
comment on table course is 'A competition that is a course. Grades are computed from the ranking when they are read.';
comment on column course.enrolment is 'How an account is matched with a student: by an e-mail address that it signs in with, or also by one that its owner enters.';
comment on column course.scores_of is 'Fingerprint of what the grades in lti_score were computed from; null before the first computation.';
comment on index course_pkey is 'A competition is at most one course.';

create table course_assignment (
  competition text not null references course (competition),
  problem text not null references problem (name),
  target text not null,
  due_at timestamptz not null,
  correct_points double precision not null,
  thresholds json not null,
  late_days integer not null check (late_days >= 0),
  penalty_per_day double precision not null check (penalty_per_day between 0 and 1),
  counts text not null check (counts in ('best', 'last')),
  primary key (competition, problem),
  foreign key (problem, target) references board (problem, target)
);
comment on table course_assignment is 'A graded problem of a course with its grading rules, which packages/core describes. Ranked submissions are refused from the last late day on.';
comment on column course_assignment.target is 'The target whose results are graded.';
comment on column course_assignment.due_at is 'The deadline of students without an extension.';
comment on column course_assignment.late_days is 'Days after the deadline in which submissions are accepted.';
comment on index course_assignment_pkey is 'Each ranked submission reads the deadline of its problem.';

create table course_student (
  competition text not null references course (competition),
  email text not null check (email <> '' and email = lower(email)),
  name text not null check (name <> ''),
  group_name text,
  account_id text references account (id),
  enrolled_by text check (enrolled_by in ('verified_email', 'entered_email', 'platform')),
  enrolled_at timestamptz,
  platform_user text,
  primary key (competition, email),
  constraint enrolled_with_account check ((account_id is null) = (enrolled_by is null) and (account_id is null) = (enrolled_at is null))
);
comment on table course_student is 'The roster of a course. Only its organisers can read it; a student can read their own row.';
comment on column course_student.account_id is 'The account that is matched with the student; null until the student enrols.';
comment on column course_student.enrolled_by is 'How the account proved to be the student: it signs in with the address, its owner entered it, or a learning platform named its owner as a student.';
comment on column course_student.platform_user is 'The user of the learning platform whose list added the student, as a placeholder address; null for other students.';
comment on index course_student_pkey is 'An address is on a roster once.';

create unique index course_student_account on course_student (competition, account_id) where account_id is not null;
comment on index course_student_account is 'An account is one student of a course. Finds the student of a submission.';

create table course_extension (
  competition text not null,
  email text not null,
  problem text not null,
  due_at timestamptz not null,
  primary key (competition, email, problem),
  foreign key (competition, email) references course_student (competition, email) on delete cascade,
  foreign key (competition, problem) references course_assignment (competition, problem) on delete cascade
);
comment on table course_extension is 'Deadlines of single students that differ from those of their assignments.';
comment on index course_extension_pkey is 'A submission reads the extension of its student.';
