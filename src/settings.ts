import { closestMatch } from 'leven'
import { isPageUrl } from './outgoing/url-problem.ts'
import { definitions, type Setting } from './settings/definitions.ts'

export { definitions, type ProcessRole } from './settings/definitions.ts'

type Definitions = typeof definitions
export type Settings = { [Name in keyof Definitions]: Definitions[Name] extends Setting<infer T> ? T : never }

/** The first of each pair has no effect without the second, whose variable may be mistyped. */
const dependentSettings = [
  ['kmsKeyId', 'kmsUrl'],
  ['kmsToken', 'kmsUrl'],
  ['threeDSecureServerToken', 'threeDSecureServerUrl'],
  ['databaseReplicaUrls', 'databaseUrl'],
] as const satisfies readonly (readonly [keyof Settings, keyof Settings])[]

/** URLs that must be https in production, and why. */
const httpsInProduction = [
  ['publicUrl', 'payment links, sign-ins and notifications lead there'],
  ['elementsOrigin', 'buyers enter their cards there'],
  ['kmsUrl', "keys and cardholders' data go there"],
  ['threeDSecureServerUrl', "keys and cardholders' data go there"],
] as const satisfies readonly (readonly [keyof Settings, string])[]

/**
 * A setting that cannot be used. The message names its variable and never repeats its value, which may be a
 * secret.
 */
export class InvalidSetting extends Error {}

/**
 * Refuses names of variables that are no settings, for settings that a caller lists; the environment of a
 * process has other variables, too. Throws `InvalidSetting`.
 */
export function refuseUnknownSettings(names: readonly string[]): void {
  const variables = new Set(Object.values(definitions).map(({ variable }) => variable))
  for (const name of names)
    if (!variables.has(name)) throw new InvalidSetting(`${name} is no setting: ${[...variables].join(', ')}`)
}

/** Two mistakes, such as a letter that stands elsewhere. */
const MAX_MISTAKES = 2
/** Shorter names are like too many others: `HOST` and `POST`. */
const MIN_LENGTH = 8

/** The names that are nearly, but not quite, those of settings, each with the setting that may be meant. */
export function misspeltSettings(names: readonly string[]): { name: string; meant: string }[] {
  const variables = Object.values(definitions).map(({ variable }) => variable)
  return names.flatMap((name) => {
    if (name.length < MIN_LENGTH || variables.includes(name)) return []
    const meant = closestMatch(name, variables, { maxDistance: MAX_MISTAKES })
    return meant === undefined ? [] : [{ name, meant }]
  })
}

interface ReadOptions {
  /**
   * Refuse to read without `RAILYARD_ENV`: a deployment that forgets it would be a sandbox, and only its log
   * would say so.
   */
  environmentRequired?: boolean
}

/** Reads every setting from the environment; an empty variable counts as unset. Throws `InvalidSetting`. */
export function readSettings(
  env: Record<string, string | undefined>,
  { environmentRequired = false }: ReadOptions = {},
): Settings {
  if (environmentRequired && !env['RAILYARD_ENV'])
    throw new InvalidSetting(
      'RAILYARD_ENV must be set to sandbox or production: this is a deployment, and an unset RAILYARD_ENV means sandbox',
    )
  const entries = Object.entries(definitions).map(([name, { variable, read, fallback }]) => {
    const value = env[variable]
    if (value === undefined || value === '') return [name, fallback]
    try {
      return [name, read(value)]
    } catch (error) {
      throw new InvalidSetting(`${variable} must be ${error instanceof Error ? error.message : 'valid'}`)
    }
  })
  const settings: Settings = Object.fromEntries(entries)
  refuseContradictions(settings)
  return settings
}

/** Refuses settings that cannot be used together, or not in production. */
function refuseContradictions(settings: Settings): void {
  const isProduction = settings.environment === 'production'
  if (isProduction && settings.databaseUrl && !settings.encryptionKey && !settings.kmsUrl)
    throw new InvalidSetting(
      'ENCRYPTION_KEY must be set in production on PostgreSQL (or KMS_URL): every process needs the same one',
    )
  if (isProduction && settings.providerUrls)
    throw new InvalidSetting(
      'PROVIDER_URLS is for the sandbox only: in production payments and keys go to the providers themselves',
    )
  if (isProduction && settings.sandboxUrl)
    throw new InvalidSetting('SANDBOX_URL is for the sandbox only: in production nothing is simulated')
  for (const [name, reason] of httpsInProduction)
    if (isProduction && settings[name] && !isPageUrl(settings[name], 'production'))
      throw new InvalidSetting(
        `${definitions[name].variable} must be an https URL in production (http is for localhost): ${reason}`,
      )
  for (const [name, needed] of dependentSettings)
    if (settings[name] !== undefined && settings[needed] === undefined)
      throw new InvalidSetting(
        `${definitions[name].variable} is set without ${definitions[needed].variable}, and would be ignored`,
      )
}
