import type { World } from '../world.ts'
import type { App } from './app.ts'

/**
 * Adds the routes of one resource. Every `x.routes.ts` exports one, and the `routes.ts` of its folder lists
 * it.
 */
export type Routes = (app: App, world: World) => void
