import { mcpRoutes } from './mcp.routes.ts'

export const routes = [mcpRoutes]
