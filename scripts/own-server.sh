# Read by with-postgres.sh and with-citus.sh: a temporary `folder`, `as` to run PostgreSQL's programs as a user that they accept, `port` for a free port.
folder=$(mktemp -d)
# PostgreSQL refuses to run as root
as=()
if [ "$(id -u)" = 0 ]; then
  id postgres >/dev/null 2>&1 || useradd --system postgres
  chown postgres "$folder"
  as=(runuser -u postgres --)
fi
port() { node -e 'const s=require("net").createServer().listen(0,"127.0.0.1",()=>{console.log(s.address().port);s.close()})'; }
