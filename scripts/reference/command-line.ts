import type { Argument, Command, Option } from 'commander'
import { program } from '../../src/cli/program.ts'
import { code, page, table } from './markdown.ts'

const sentence = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

const fallbackOf = ({ defaultValue, defaultValueDescription }: Option | Argument) =>
  defaultValueDescription ??
  (defaultValue === undefined || Array.isArray(defaultValue) ? '' : code(String(defaultValue)))

/** Every command that can be run, with its full name. */
function commandsOf(command: Command, path: string): { path: string; command: Command }[] {
  // commander shows no list of hidden commands, but leaves them out of its help
  const shown = command
    .createHelp()
    .visibleCommands(command)
    .filter((child) => child.name() !== 'help')
  return shown.length === 0
    ? [{ path, command }]
    : shown.flatMap((child) => commandsOf(child, `${path} ${child.name()}`))
}

function section({ path, command }: { path: string; command: Command }): string {
  const inputs = command.registeredArguments.map((argument) =>
    argument.required ? `<${argument.name()}>` : `[${argument.name()}]`,
  )
  const required = command.options
    .filter(({ mandatory }) => mandatory)
    .map(({ long, flags }) => `${long} ${flags.split(' ').at(-1)}`)
  const rows = [
    ...command.registeredArguments.map((argument) => [
      code(argument.name()),
      fallbackOf(argument),
      argument.description,
    ]),
    ...command.options.map((option) => [code(option.flags), fallbackOf(option), option.description]),
  ]
  return [
    `## ${path}`,
    `${sentence(command.description())}.`,
    `\`\`\`text\nnpm run railyard -- ${[path.replace(/^railyard /, ''), ...inputs, ...required].join(' ')}\n\`\`\``,
    ...(rows.length > 0 ? [table(['argument or option', 'default', 'meaning'], rows)] : []),
  ].join('\n\n')
}

/** docs/reference/command-line.md */
export const commandLinePage = () =>
  page(
    '# Command line',
    `\`npm run railyard -- <command>\` runs a command in a clone, \`railyard <command>\` in the image. Commands read the same [settings](settings.md) as the service. On the embedded database, stop the service
before you run any command but \`token\`, \`listen\`, \`mcp\`, \`sandbox\`, \`demo\`, \`connector check\` and \`capsule replay\`: one process alone can open it.`,
    table(
      ['option of every command', 'meaning'],
      program.options
        .filter(({ long }) => long !== '--version')
        .map(({ flags, description }) => [code(flags), description]),
    ),
    ...commandsOf(program, 'railyard').map(section),
  )
