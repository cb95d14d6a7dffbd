import { type Assistant, assistant } from '../assistant.ts'

/** So many posts, so many at a time, round the paths. */
export interface Posts {
  origin: string
  paths: string[]
  count: number
  atATime: number
  body: string
}

/** Bare `undici` in a process of its own: what nobody who posts with it can exceed. */
export const startPosts = (): Assistant<Posts, { errors: number }> =>
  assistant(new URL('./posts.process.ts', import.meta.url))
