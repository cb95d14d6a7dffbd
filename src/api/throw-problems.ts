import { invalid } from './errors.ts'

/** Throws 400 with each message at its JSON pointer in the body. Without problems it does nothing. */
export function throwProblems(problems: Readonly<Record<string, string>>): void {
  if (Object.keys(problems).length > 0) throw invalid(problems)
}
