# The image of compose.yaml: Dealmill with the versions pinned in requirements-server.txt. Its user owns only the cache.
FROM python:3.11.15-slim-trixie AS build
RUN python -m venv --without-pip /opt/dealmill
COPY requirements-server.txt /build/
RUN pip --python /opt/dealmill install --no-cache-dir --require-hashes --requirement /build/requirements-server.txt
COPY pyproject.toml README.md LICENSE /build/
COPY dealmill /build/dealmill
COPY pipeline /build/pipeline
COPY workers /build/workers
COPY migrations /build/migrations
RUN pip --python /opt/dealmill install --no-cache-dir --no-deps /build

FROM python:3.11.15-slim-trixie
RUN useradd --uid 10001 --home-dir /var/cache/dealmill --no-create-home dealmill \
    && install --directory --owner dealmill --group dealmill /var/cache/dealmill
COPY --from=build /opt/dealmill /opt/dealmill
ENV PATH=/opt/dealmill/bin:$PATH XDG_CACHE_HOME=/var/cache/dealmill
WORKDIR /var/cache/dealmill
USER 10001
ENTRYPOINT ["dealmill"]
