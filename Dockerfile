# The service and nothing else: production dependencies, no compiler, no shell script at its start. Build: docker build -t railyard .
# Name the image by its digest where your registry allows it.
FROM node:24-bookworm-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# no package of a production install has an install script that it needs; the pages of the API reference (/docs) are not in it
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund

# The program in one piece, for which its compiler is needed: it starts in half the time (src/bundled.js).
FROM node:24-bookworm-slim AS program
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY dashboard/package.json dashboard/
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY scripts/build.js scripts/build-dashboard.js scripts/
COPY src ./src
# A bundle counts for the very files that it was made of, and knows them by size and time (src/bundled.js). Builds of one commit from two copies of it are the
# same, and a build that sets the times of all files to 0 (docs/guides/deploy.md) still runs its bundle.
RUN find package-lock.json src -exec touch --date=@0 {} + && npm run build
# the pages of people, which the service only hands out
COPY tsconfig.json ./
COPY packages/client/src packages/client/src
COPY dashboard ./dashboard
RUN node scripts/build-dashboard.js

FROM node:24-bookworm-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080 DATA_DIR=/data
# As in npm start: the C library gives freed memory back, which its default keeps for each thread (docs/performance.md).
ENV MALLOC_ARENA_MAX=1 MALLOC_TRIM_THRESHOLD_=131072
WORKDIR /app
COPY --from=dependencies /app/node_modules ./node_modules
COPY package.json LICENSE ./
# all of it from there: the bundle is made of these files
COPY --from=program /app/package-lock.json ./
COPY --from=program /app/src ./src
COPY --from=program /app/dist ./dist
COPY --from=program /app/dashboard/dist ./dashboard/dist
# what the MCP server's tools for the documentation read
COPY docs ./docs
# What V8 makes of the code is made here once, for every start: below a read-only root it could not be written, and nobody but root may change it.
# By the user who reads it, since Node keeps one cache for each. Without the seed, hashes of names in it would be others in each build.
RUN mkdir node_modules/.cache && chown node:node node_modules/.cache
USER 1000:1000
RUN node --random-seed=1 src/main.js --help > /dev/null
USER root
# The command line, for `docker exec`. The folder of data is the only one that the service writes to.
RUN ln -s /app/src/main.js /usr/local/bin/railyard \
  && chown -R root:root node_modules/.cache && chmod -R a+rX,go-w node_modules/.cache \
  && mkdir /data && chown node:node /data
USER 1000:1000
VOLUME /data
EXPOSE 8080
# An orchestrator asks /health/ready itself; this one is for `docker run` and compose.
HEALTHCHECK --interval=5s --timeout=3s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/health/ready`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# The service ends at SIGTERM by itself; as process 1 it wants an init that takes in what it leaves: `docker run --init`, `init: true`.
STOPSIGNAL SIGTERM
# Who runs it says RAILYARD_ENV=sandbox or RAILYARD_ENV=production; it refuses to start without.
ENTRYPOINT ["node", "src/main.js", "--environment-required"]
CMD ["start"]
