import type { World } from '../../world.ts'

/** The domain of the page, as Apple and Google know it. */
export const pageDomain = ({ publicUrl }: Pick<World, 'publicUrl'>): string => new URL(publicUrl).hostname
