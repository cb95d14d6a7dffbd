import { randomUUID } from 'node:crypto'
import { userInfo } from 'node:os'
import { runAsRequest } from '../../api/request/request-context.ts'
import { COMMAND_LINE_USER_ID } from '../../base/command-line-user.ts'

/** Runs `work` with the operating system's user as the actor in the audit log. */
export const runAsCommandLine = <T>(work: () => T): T =>
  runAsRequest(
    {
      id: randomUUID(),
      actor: {
        type: 'user',
        id: COMMAND_LINE_USER_ID,
        name: `command line (${osUser()})`,
        emailAddress: null,
      },
    },
    work,
  )

/** The name of the operating system's user; in a container a user may have only a number. */
function osUser(): string {
  try {
    return userInfo().username
  } catch {
    return String(process.getuid?.() ?? 'unknown')
  }
}
