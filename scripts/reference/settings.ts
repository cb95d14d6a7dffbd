import { definitions } from '../../src/settings.ts'
import { code, page, table } from './markdown.ts'

const fallbackOf = (value: unknown) =>
  value === undefined || Array.isArray(value) ? '' : code(String(value))

/** What a value must be, in the words of its refusal; empty: any text. */
function expectationOf(read: (value: string) => unknown): string {
  try {
    read('\0')
    return ''
  } catch (error) {
    // of a list, the refusal also says which entry is wrong
    return error instanceof Error ? error.message.replace(/; entry 1 is none$/, '') : ''
  }
}

/** docs/reference/settings.md */
export const settingsPage = () =>
  page(
    '# Settings',
    `Settings are environment variables. Railyard checks them when it starts and refuses a value that it cannot use, with the name of the variable. It also refuses a setting that has no effect without
another one. An empty variable counts as unset. Variables with other names are not read; one whose name is nearly that of a setting is a warning of the start.`,
    table(
      ['variable', 'default', 'must be', 'meaning'],
      Object.values(definitions).map(({ variable, fallback, read, meaning, page: more }) => [
        code(variable),
        fallbackOf(fallback),
        expectationOf(read),
        `${meaning}${more ? ` ([more](../${more}))` : ''}`,
      ]),
    ),
  )
