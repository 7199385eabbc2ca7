/** Client of the endpoints about learning platforms (LTI 1.3). */
import type { LtiLinkRequest, LtiPlatformRequest, LtiRegistrationRequest } from "@kernelbot/core";
import { api } from "../api.ts";
import type { Connection } from "./connection.ts";

/** Creates the part of the client for learning platforms. */
export function ltiClient({ request }: Connection) {
  const {
    platforms,
    setPlatform,
    removePlatform,
    createRegistration,
    course,
    createLink,
    revokeLink,
    importRoster,
    sendGrades,
  } = api.lti;
  return {
    /** Lists the platforms, and the addresses to enter at them. For administrators. */
    platforms: () => request(platforms, {}),
    /** Registers a platform, or replaces the one with the same issuer and client id. */
    setPlatform: (body: LtiPlatformRequest) => request(setPlatform, { body }),
    removePlatform: (id: number) => request(removePlatform, { params: { id } }),
    /** Creates a link by which the administrator of a platform registers this server there. For administrators. */
    createRegistration: (body: LtiRegistrationRequest) => request(createRegistration, { body }),
    /** Lists the links of a course, and the state of its grades at the platforms. For organisers. */
    course: (name: string) => request(course, { params: { name } }),
    createLink: (name: string, body: LtiLinkRequest = {}) => request(createLink, { params: { name }, body }),
    revokeLink: (name: string, id: number) => request(revokeLink, { params: { name, id } }),
    /** Adds and updates students from the members of the platforms' courses. */
    importRoster: (name: string) => request(importRoster, { params: { name } }),
    /** Sends changed and failed grades now. */
    sendGrades: (name: string) => request(sendGrades, { params: { name } }),
  };
}
