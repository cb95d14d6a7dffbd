import type { Corruption } from './corruptions/changes.ts'

const cell = (text: string) => text.replaceAll('|', '\\|')

const row = (corruption: Corruption): string => {
  const found = 'finding' in corruption ? `\`${corruption.finding.replace(/: $/, '')}\`` : 'not detected'
  return `| ${cell(corruption.name)} | ${found} |`
}

/**
 * The content of docs/operations/corruptions.md: every kind of change that the tests make, with the finding
 * that shows it.
 */
export function documentOf(corruptions: readonly Corruption[]): string {
  const subjects = Object.entries(Object.groupBy(corruptions, ({ subject }) => subject))
  const missed = corruptions.flatMap((corruption) => ('notDetected' in corruption ? [corruption] : []))
  return [
    '# What verification finds',
    '',
    `Look up a finding of \`railyard verify\` ([verify.md](verify.md)) to see which changes of the database lead to it. The tables list ${corruptions.length} kinds of changes that an attacker with write access to the database may make; verification does not detect ${missed.length} of them.`,
    '`npm test -- test/corruption -u` writes this page from test/corruption/corruptions/.',
    '',
    ...subjects.flatMap(([subject, all = []]) => [
      `## ${subject}`,
      '',
      '| change | finding |',
      '|---|---|',
      ...all.map(row),
      '',
    ]),
    '## Changes that verification does not detect',
    '',
    ...missed.flatMap(({ subject, name, notDetected }) => [
      `- **${subject}: ${name}.** ${notDetected[0]?.toUpperCase()}${notDetected.slice(1)}.`,
    ]),
    '',
  ].join('\n')
}
