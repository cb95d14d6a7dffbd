import { commandLinePage } from './command-line.ts'
import { connectorTypes } from './connector-types.ts'
import { connectorsPage } from './connectors.ts'
import { errorsPage } from './errors.ts'
import { eventsPage } from './events.ts'
import { foldersPage } from './folders.ts'
import { mcpToolsPage } from './mcp-tools.ts'
import { settingsPage } from './settings.ts'
import { statusesPage } from './statuses.ts'

/** The pages and types that are made of the source, by their path from the root of the repository. */
export const pages: Readonly<Record<string, () => string>> = {
  'docs/reference/settings.md': settingsPage,
  'docs/reference/command-line.md': commandLinePage,
  'docs/reference/statuses.md': statusesPage,
  'docs/reference/events.md': eventsPage,
  'docs/reference/errors.md': errorsPage,
  'docs/reference/connectors.md': connectorsPage,
  'docs/reference/mcp-tools.md': mcpToolsPage,
  'docs/concepts/folders.md': foldersPage,
  'packages/connector/index.d.ts': connectorTypes,
}
