#!/usr/bin/env bash
# What the failover test runs, from Debian's packages.
exec bash "$(dirname "$0")/../../scripts/install-packages.sh" initdb=postgresql patroni=patroni,python3-etcd etcd=etcd-server haproxy=haproxy
