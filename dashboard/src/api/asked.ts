import { createContext } from 'react'

/** Called once a refused request has been proposed for approval. */
export const AskedContext = createContext<() => void>(() => undefined)
