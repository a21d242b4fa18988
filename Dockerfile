# A command that needs no network and writes nowhere but to /data and /tmp:
#   docker build -t anonscope .
#   docker run --rm --network none --read-only --tmpfs /tmp -v "$PWD:/data" anonscope audit patients.csv --accept-suggestions
FROM python:3.11-slim AS build
WORKDIR /build
COPY pyproject.toml constraints.txt README.md LICENSE ./
COPY src src
COPY docs docs
ARG EXTRAS=stats
RUN python -m venv /opt/anonscope && /opt/anonscope/bin/pip install --no-cache-dir -c constraints.txt ".[${EXTRAS}]"

FROM python:3.11-slim
COPY --from=build /opt/anonscope /opt/anonscope
RUN useradd --uid 10001 --no-create-home --shell /usr/sbin/nologin anonscope
ENV PATH=/opt/anonscope/bin:$PATH PYTHONDONTWRITEBYTECODE=1 HOME=/tmp TMPDIR=/tmp
USER 10001
WORKDIR /data
ENTRYPOINT ["anonscope"]
CMD ["--help"]
