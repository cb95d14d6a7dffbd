import type { World } from '../world.ts'

/** Where the frames with card fields, and their files, are served. */
export const elementsUrl = ({ settings, publicUrl }: Pick<World, 'settings' | 'publicUrl'>): string =>
  settings.elementsOrigin ?? publicUrl
