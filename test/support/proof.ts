import { Command, CommanderError, InvalidArgumentError, Option } from 'commander'

/**
 * The type of an option: a number or boolean is its default; of words the first is the default. `Number` and
 * `String` have none.
 */
type Taken = number | boolean | readonly string[] | NumberConstructor | StringConstructor
type OptionValue<Kind> = Kind extends number
  ? number
  : Kind extends boolean
    ? boolean
    : Kind extends readonly (infer Word)[]
      ? Word
      : (Kind extends NumberConstructor ? number : string) | undefined
type OptionValues<Takes> = { [Name in keyof Takes]: OptionValue<Takes[Name]> }

/**
 * Reads the command line of `npm run test:…`: whole numbers, words, switches. Anything else, and `--help`,
 * prints a line, and the process ends with 2; with 1 it ends if there were findings. Started processes end
 * with it, on a signal too.
 */
export function proof<const Takes extends Record<string, Taken>>(
  name: string,
  takes: Takes,
): OptionValues<Takes> {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))
  try {
    return readOptions(name, takes, process.argv.slice(2))
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    process.exit(error.exitCode === 0 ? 0 : 2)
  }
}

/** Throws a CommanderError after it has printed the problem. */
export function readOptions<const Takes extends Record<string, Taken>>(
  name: string,
  takes: Takes,
  args: string[],
): OptionValues<Takes> {
  const command = new Command(`npm run test:${name} --`).exitOverride()
  for (const [member, kind] of Object.entries(takes)) command.addOption(optionOf(member, kind))
  return command.parse(args, { from: 'user' }).opts()
}

function optionOf(member: string, kind: Taken): Option {
  const flag = `--${member.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
  if (typeof kind === 'boolean') return new Option(flag).default(kind)
  if (kind === String) return new Option(`${flag} <text>`)
  if (kind === Number) return new Option(`${flag} <count>`).argParser(whole)
  if (typeof kind === 'number') return new Option(`${flag} <count>`).argParser(whole).default(kind)
  const words = kind as readonly string[]
  return new Option(`${flag} <word>`).choices([...new Set(words)]).default(words[0])
}

function whole(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('It takes a whole number.')
  return Number(text)
}

/** A new seed, which the run prints. */
export const randomSeed = (): number => Date.now() % 1_000_000

/** The database of a proof: PostgreSQL if there is one. */
export const proofDatabase = (): 'embedded' | 'postgres' =>
  process.env['DATABASE_URL'] ? 'postgres' : 'embedded'

/** The URL of the PostgreSQL that a proof needs; ends the process without one. */
export function requirePostgres(): string {
  const url = process.env['DATABASE_URL']
  if (url) return url
  console.error('this needs a PostgreSQL: bash scripts/with-postgres.sh npm run test:…')
  process.exit(2)
}

/** Prints the findings, at most 50 lines, and their number; the process will end with 1 if there are any. */
export function reportFindings(findings: readonly string[], about = ''): void {
  for (const finding of findings.slice(0, 50)) console.log(`FINDING ${finding.slice(0, 2_000)}`)
  console.log(`${about && `${about}: `}${findings.length} findings`)
  if (findings.length > 0) process.exitCode = 1
}
