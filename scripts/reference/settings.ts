import { definitions } from '../../src/settings.ts'
import { code, page, table } from './markdown.ts'

const fallbackOf = (value: unknown) =>
  value === undefined || Array.isArray(value) ? '' : code(String(value))

/** docs/reference/settings.md */
export const settingsPage = () =>
  page(
    '# Settings',
    `Settings are environment variables. Railyard checks them when it starts and refuses a value that it cannot use, with the name of the variable. It also refuses a setting that has no effect without
another one. An empty variable counts as unset. Variables with other names are not read; one whose name is nearly that of a setting is a warning of the start.`,
    table(
      ['variable', 'default', 'meaning'],
      Object.values(definitions).map(({ variable, fallback, meaning, page: more }) => [
        code(variable),
        fallbackOf(fallback),
        `${meaning}${more ? ` ([more](../${more}))` : ''}`,
      ]),
    ),
  )
