import type { Command } from 'commander'
import { UnusableDatabase } from '../database/database.ts'
import { FolderInUse } from '../database/embedded/folder-lock.ts'
import { InvalidSetting } from '../settings.ts'
import { program } from './program.ts'
import { UserError } from './support/user-error.ts'

/** Lets a usage error name the help page of its command. */
function pointToHelp(command: Command, path: string): void {
  command.showHelpAfterError(
    `(${path} --help ${command.commands.length > 0 ? 'lists the commands' : 'lists its options'})`,
  )
  for (const child of command.commands) pointToHelp(child, `${path} ${child.name()}`)
}
pointToHelp(program, 'railyard')

/**
 * Prints an error that the operator can fix as one line; any other is a defect, and is printed with its
 * stack.
 */
function report(error: unknown): void {
  const isOperatorError = [UserError, InvalidSetting, FolderInUse, UnusableDatabase].some(
    (kind) => error instanceof kind,
  )
  const isPortError =
    error instanceof Error && 'code' in error && (error.code === 'EADDRINUSE' || error.code === 'EACCES')
  console.error(
    error instanceof Error && (isOperatorError || isPortError) ? `railyard: ${error.message}` : error,
  )
  process.exitCode = 1
}

// `railyard … | head` closes the pipe early
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
  process.exit()
})

await program.parseAsync().catch(report)
