import type { Railyard } from '@railyard/client'
import {
  type InfiniteData,
  keepPreviousData,
  type QueryKey,
  type UseInfiniteQueryResult,
  type UseMutationResult,
  type UseQueryResult,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import { useRef } from 'react'
import { useSignedIn } from '../session/signed-in.ts'
import { useIsTold } from './live.tsx'

interface LoadOptions {
  /** False: nothing is loaded. */
  enabled?: boolean
  /** How often it is loaded again while the page is in sight and no stream tells of changes, in milliseconds. */
  refresh?: number
}

/** Loads something of the current merchant account, and keeps it under `key`. */
export function useLoad<Result>(
  key: QueryKey,
  load: (api: Railyard, signal: AbortSignal) => Promise<Result>,
  { enabled = true, refresh }: LoadOptions = {},
): UseQueryResult<Result> {
  const { api, account } = useSignedIn()
  const isTold = useIsTold(key)
  return useQuery({
    queryKey: [account, ...key],
    queryFn: ({ signal }) => load(api, signal),
    enabled,
    refetchInterval: refresh && !isTold ? refresh : false,
    placeholderData: keepPreviousData,
  })
}

export interface ListPage<Item> {
  items: Item[]
  next_cursor?: string | null | undefined
}

export type Loaded<Item> = UseInfiniteQueryResult<InfiniteData<ListPage<Item>>>

/** Loads a list page by page; `load` has the cursor of the page, which is undefined for the first one. */
export function useList<Item>(
  key: QueryKey,
  load: (api: Railyard, cursor: string | undefined, signal: AbortSignal) => Promise<ListPage<Item>>,
  { enabled = true, refresh }: LoadOptions = {},
): Loaded<Item> {
  const { api, account } = useSignedIn()
  const isTold = useIsTold(key)
  return useInfiniteQuery({
    queryKey: [account, ...key],
    queryFn: ({ signal, pageParam }) => load(api, pageParam, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    enabled,
    refetchInterval: refresh && !isTold ? refresh : false,
  })
}

export interface ActionOptions<Input, Result> {
  /** Does it, under a new idempotency key: the client replaces it where an earlier answer was lost (`attemptOf`). */
  run: (api: Railyard, input: Input, idempotencyKey: string) => Promise<Result>
  /** Is called once what it changes is loaded again: a form that is opened then begins with what is stored. */
  onDone?: (result: Result, input: Input) => void
  /** What is loaded again afterwards: beginnings of keys. By default everything of the account. */
  changes?: QueryKey[]
}

/** How long the end of an action waits for what it changed. */
const LOAD_AGAIN_MS = 3000

/**
 * Something that a person does. Sent again after a failure it is the same request, and while it runs a second
 * click sends nothing: not every operation knows idempotency keys.
 */
export function useAction<Input = void, Result = unknown>({
  run,
  onDone,
  changes = [[]],
}: ActionOptions<Input, Result>): UseMutationResult<Result, Error, Input> {
  const { api, account } = useSignedIn()
  const queries = useQueryClient()
  const running = useRef(new Set<string>())
  const mutation = useMutation({
    // an input may be a password, a result a private key: nothing keeps them once the page has let go of them
    gcTime: 0,
    mutationFn: (input: Input) => run(api, input, crypto.randomUUID()),
    onSuccess: async (result, input) => {
      const loadedAgain = changes.map((key) => queries.invalidateQueries({ queryKey: [account, ...key] }))
      await Promise.race([
        Promise.all(loadedAgain),
        new Promise((resolve) => setTimeout(resolve, LOAD_AGAIN_MS)),
      ])
      onDone?.(result, input)
    },
    onSettled: (_, __, input) => {
      running.current.delete(JSON.stringify(input) ?? '')
    },
  })
  const mutate: typeof mutation.mutate = (...args) => {
    const text = JSON.stringify(args[0]) ?? ''
    if (running.current.has(text)) return
    running.current.add(text)
    mutation.mutate(...args)
  }
  return { ...mutation, mutate }
}
