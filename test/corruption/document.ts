import type { Corruption } from './corruptions.ts'

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
    `Changes that an attacker who can write into the database may make behind the service’s back, and the finding of \`railyard verify\` ([verify.md](verify.md)) that shows each. ${corruptions.length} kinds, ${missed.length} of them not detected.`,
    'This page is written by `npm test -- test/corruption -u`, from test/corruption/corruptions.ts.',
    '',
    ...subjects.flatMap(([subject, all = []]) => [
      `## ${subject}`,
      '',
      '| change | finding |',
      '|---|---|',
      ...all.map(row),
      '',
    ]),
    '## What is not detected, and why',
    '',
    ...missed.flatMap(({ subject, name, notDetected }) => [
      `- **${subject}: ${name}.** ${notDetected[0]?.toUpperCase()}${notDetected.slice(1)}.`,
    ]),
    '',
  ].join('\n')
}
