import { type Assistant, assistant } from '../assistant.ts'

/** So many posts, so many at a time, round the paths. */
export interface Posts {
  origin: string
  paths: string[]
  count: number
  atATime: number
  body: string
}

/** Bare `undici` in a process of its own: the most that a sender built on it can reach. */
export const startPosts = (): Assistant<Posts, { errors: number }> =>
  assistant(new URL('./posts.process.ts', import.meta.url))
