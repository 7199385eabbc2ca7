/** The accounts of the showcase. */
import type { AuthorKind, Licence } from "@kernelbot/core";
import type { Role } from "@kernelbot/server/src/auth/identity.ts";

export interface Participant {
  name: string;
  /** Fraction of the hardware's limit that the best kernels reach, from 0 to 1. */
  skill: number;
  author: AuthorKind;
  model?: string;
  licence?: Licence;
}

const human = (name: string, skill: number, licence?: Licence): Participant => ({
  name,
  skill,
  author: "human",
  ...(licence && { licence }),
});
const assisted = (name: string, skill: number, model: string): Participant => ({
  name,
  skill,
  author: "assisted",
  model,
});

/** Ordered by skill at the start of the list; tests refer to some of them by name. */
export const PARTICIPANTS: readonly Participant[] = [
  human("Łukasz Świątek", 0.93, "MIT"),
  human("田中 美咲", 0.928, "Apache-2.0"),
  assisted("Thandiwe Nkosi", 0.9, "Kestrel Coder 32B"),
  { name: "kernel-foundry", skill: 0.88, author: "autonomous", model: "Tessera 2 (search, 400 candidates a night)" },
  human("Mariana Castellanos-Quintero de Oliveira", 0.84),
  assisted("Rajesh Iyer", 0.83, "Kestrel Coder 32B"),
  human("jvermeer", 0.8, "BSD-3-Clause"),
  human("Sofia Lindqvist", 0.78, "MIT"),
  { name: "autotuner-7", skill: 0.76, author: "autonomous", model: "Tessera 2" },
  human("Γιώργος Παπαδόπουλος", 0.72),
  { name: "dmitri_v", skill: 0.7, author: "undeclared" },
  human("Eun-ji Park", 0.68, "CC-BY-4.0"),
  human("Émile Laurent", 0.66),
  assisted("wei.zhang", 0.64, "Harbour 7B"),
  human("Noor Haddad", 0.6),
  { name: "tensorcat", skill: 0.57, author: "undeclared" },
  human("Björn Ásgeirsson", 0.52),
  human("Priya Raman", 0.5, "MIT"),
  human("Oluwaseun Adeyemi", 0.45),
  assisted("Hồng Nhung", 0.42, "Harbour 7B"),
  human("Clara Moretti", 0.38),
  { name: "n00b", skill: 0.3, author: "undeclared" },
  human("Samir B.", 0.25),
  { name: "speedrunner", skill: 0.95, author: "undeclared" },
];

/** Accounts with other roles, and a newcomer. */
export const STAFF = {
  organiser: { name: "Helena Brandt", roles: ["organiser"] },
  moderator: { name: "Tomás Rivera", roles: ["moderator"] },
  administrator: { name: "Ingrid Solberg", roles: ["administrator"] },
  newcomer: { name: "Zoë de Vries", roles: [] },
} as const satisfies Record<string, { name: string; roles: readonly Role[] }>;
