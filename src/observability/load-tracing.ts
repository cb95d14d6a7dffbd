import { readFileSync } from 'node:fs'
import { noTracing, type Tracing } from '../base/tracing.ts'
import { InvalidSetting, type Settings } from '../settings.ts'

/**
 * Starts tracing if the settings name a collector. The OpenTelemetry packages are large and optional, so they
 * are loaded only then. Throws `InvalidSetting` if they are not installed.
 */
export async function startTracing(
  { tracesUrl: url, traceName: name }: Pick<Settings, 'tracesUrl' | 'traceName'>,
  load: () => Promise<typeof import('./opentelemetry.ts')> = () => import('./opentelemetry.ts'),
): Promise<Tracing> {
  if (url === undefined) return noTracing
  const { openTelemetry } = await load().catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error
    throw new InvalidSetting(
      `OTEL_EXPORTER_OTLP_ENDPOINT is set, and the packages that make traces are missing: npm install ${packagesToInstall()}`,
    )
  })
  return openTelemetry({ url, name })
}

/** The packages for traces, in the versions that are tested. */
export function packagesToInstall(): string {
  const { peerDependencies } = JSON.parse(
    readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
  )
  return Object.entries(peerDependencies)
    .filter(([name]) => /otel|opentelemetry/.test(name))
    .map(([name, version]) => `${name}@${version}`)
    .join(' ')
}
