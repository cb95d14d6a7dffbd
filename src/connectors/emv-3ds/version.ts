/** The message versions that Railyard speaks, highest first. */
export const versions = ['2.3.1', '2.2.0', '2.1.0'] as const
export type Version = (typeof versions)[number]

export const isVersion = (text: unknown): text is Version => versions.some((version) => version === text)
