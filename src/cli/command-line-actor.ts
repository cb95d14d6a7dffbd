import { randomUUID } from 'node:crypto'
import { userInfo } from 'node:os'
import { runAsRequest } from '../api/request/request-context.ts'

/** Nobody's id: who may run commands is known to the operating system alone. */
const COMMAND_LINE_USER_ID = '00000000-0000-0000-0000-000000000000'

/** Does `work` as whoever runs this command: what it changes is theirs in the audit log. */
export const runAsCommandLine = <T>(work: () => T): T =>
  runAsRequest({ id: randomUUID(), actor: { type: 'user', id: COMMAND_LINE_USER_ID, name: `command line (${osUser()})`, emailAddress: null } }, work)

/** In a container a user may have a number and no name. */
function osUser(): string {
  try {
    return userInfo().username
  } catch {
    return String(process.getuid?.() ?? 'unknown')
  }
}
