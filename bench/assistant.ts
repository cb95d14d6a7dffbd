import { fork } from 'node:child_process'

/**
 * A process of the bench that answers one question at a time, so that its work blocks no measured event loop.
 */
export interface Assistant<Question, Answer> {
  pid: number
  ask(question: Question): Promise<Answer>
  stop(): void
}

type Reply<Answer> = { answer: Answer } | { failure: string }

/** Starts `file`, a module that calls `answer`. */
export function assistant<Question, Answer>(
  file: URL,
  env: Record<string, string> = {},
): Assistant<Question, Answer> {
  const child = fork(file, { serialization: 'advanced', env: { ...process.env, ...env } })
  let waiting: PromiseWithResolvers<Answer> | undefined
  let stopping = false
  child.on('message', (reply: Reply<Answer>) => {
    if ('answer' in reply) waiting?.resolve(reply.answer)
    else waiting?.reject(new Error(reply.failure))
  })
  child.on('exit', (code) => {
    if (!stopping) waiting?.reject(new Error(`${file.pathname} ended with code ${code}`))
  })
  return {
    pid: child.pid ?? 0,
    ask(question) {
      waiting = Promise.withResolvers<Answer>()
      child.send(question as object)
      return waiting.promise
    },
    stop() {
      stopping = true
      child.disconnect()
    },
  }
}

/** The assistant's side. The process ends with its parent. */
export function answer<Question, Answer>(work: (question: Question) => Promise<Answer>): void {
  process.on('message', (question: Question) => {
    work(question).then(
      (result) => process.send?.({ answer: result }),
      (error: unknown) =>
        process.send?.({ failure: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
    )
  })
  process.on('disconnect', () => process.exit(0))
}
