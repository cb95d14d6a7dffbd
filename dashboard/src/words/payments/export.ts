export const exportWords = {
  export: 'Export',
  title: 'Export as CSV',
  loaded: (count: number) => `${count} payments loaded`,
  written: (count: number) => `${count} payments written`,
  cut: (most: number) => `The file has the first ${most}. A report has no such limit.`,
  toReports: 'Make a report',
} as const
