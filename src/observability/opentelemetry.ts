import FastifyOtel from '@fastify/otel'
import { context, type Span, SpanKind, SpanStatusCode, type Tracer } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { BatchSpanProcessor, TracerProvider, type TracerProviderOptions } from '@opentelemetry/sdk-trace'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { StepNotes, Tracing } from '../base/tracing.ts'

/** The spans of some seconds of load. While the collector does not answer, further spans are dropped. */
const MAX_QUEUE = 8_192
const EXPORT_TIMEOUT_MS = 5_000

/**
 * Sends traces to the OpenTelemetry collector at `url` (OTLP over HTTP). It reads no `traceparent` of clients
 * and sends none to providers: clients must not control the traces, and providers must not see them.
 */
export function openTelemetry({ url, name }: { url: string; name: string }): Tracing {
  const exporter = new OTLPTraceExporter({ url: `${url}/v1/traces`, timeoutMillis: EXPORT_TIMEOUT_MS })
  const spanProcessors = [new BatchSpanProcessor({ exporter, maxQueueSize: MAX_QUEUE })]
  const provider = new TracerProvider({ resource: resourceOf(name), spanProcessors })
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  return {
    step: createStep(provider.getTracer('railyard')),
    traceRequests: (app) => traceRequests(app, provider),
    async close() {
      // a collector that does not answer must not keep the process from ending
      await provider.shutdown().catch(() => undefined)
      context.disable()
    },
  }
}

/** Does the work of a package of the SDK that Railyard does not depend on directly. */
function resourceOf(name: string): NonNullable<TracerProviderOptions['resource']> {
  const attributes = { 'service.name': name }
  const resource = { attributes, merge: () => resource, getRawAttributes: () => Object.entries(attributes) }
  return resource
}

const kinds = { internal: SpanKind.INTERNAL, client: SpanKind.CLIENT } as const

const createStep =
  (tracer: Tracer): Tracing['step'] =>
  (name, { kind = 'internal', startsTrace = false, attributes }, work) =>
    tracer.startActiveSpan(
      name,
      { kind: kinds[kind], root: startsTrace, attributes: attributes?.() ?? {} },
      async (span) => {
        try {
          return await work(spanNotes(span))
        } catch (error) {
          span.setStatus({ code: SpanStatusCode.ERROR })
          throw error
        } finally {
          span.end()
        }
      },
    )

const spanNotes = (span: Span): StepNotes => ({
  attributes: (more) => void span.setAttributes(more),
  failed: (type) => void span.setAttribute('error.type', type).setStatus({ code: SpanStatusCode.ERROR }),
})

async function traceRequests(app: FastifyInstance, provider: TracerProvider): Promise<void> {
  const instrumentation = new FastifyOtel.FastifyOtelInstrumentation({
    instrumentHooks: false,
    instrumentHandler: false,
    recordExceptions: false,
    requestHook: describe,
    ignorePaths: ({ url }) => url === '/metrics' || url.startsWith('/health/'),
  })
  instrumentation.setTracerProvider(provider)
  await app.register(instrumentation.plugin())
  // reading the body loses the context in which the request began
  app.addHook('preHandler', (request, _reply, done) => {
    const { context: requestContext } = request.opentelemetry()
    if (requestContext) context.with(requestContext, done)
    else done()
  })
  app.addHook('onSend', async (request, reply) => {
    const { span } = request.opentelemetry()
    const transaction = request.context?.transaction
    if (transaction !== undefined) span?.setAttribute('railyard.transaction.id', transaction)
    if (reply.statusCode >= 500) span?.setStatus({ code: SpanStatusCode.ERROR })
  })
}

/** Shows the pattern of the path, because the path may contain a credential. */
function describe(span: Span, request: FastifyRequest): void {
  const route = request.routeOptions.url ?? 'none'
  span
    .updateName(`${request.method} ${route}`)
    .setAttributes({ 'url.path': route, 'railyard.request.id': request.id })
  const setStatus = span.setStatus.bind(span)
  // an error's message may quote the request, and a refused request is no failure of Railyard
  span.setStatus = (status) => (status.message === undefined ? setStatus(status) : span)
}
