# Two images for every process: `worker` computes; `api`, the last one, has what HTTP, pages, figures
# and reports need too. A release names its base by digest (RELEASING.md):
#   docker build --build-arg PYTHON_IMAGE=python:3.11-slim@sha256:... .
ARG PYTHON_IMAGE=python:3.11-slim

FROM ${PYTHON_IMAGE} AS packages
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1 PIP_ROOT_USER_ACTION=ignore
RUN python -m venv /opt/thetahat && python -m venv /opt/build
WORKDIR /source
# The locked packages first: they change less often than the source, so these layers are kept.
COPY requirements-worker.lock requirements-build.lock ./
RUN /opt/thetahat/bin/pip install --only-binary :all: --require-hashes --no-deps --requirement requirements-worker.lock
RUN /opt/build/bin/pip install --only-binary :all: --require-hashes --no-deps --requirement requirements-build.lock
COPY . .
# What builds the packages stays out of the images.
RUN /opt/build/bin/pip wheel --no-deps --no-build-isolation --wheel-dir /wheels . ./presentation ./clients/python ./replications

FROM packages AS worker-build
RUN /opt/thetahat/bin/pip install --no-deps /wheels/*.whl
# numba compares the time of a source file, of which layers keep whole seconds only.
RUN find /opt/thetahat/lib -path '*/loops/*.py' -exec touch --date=@1700000000 {} + \
    && /opt/thetahat/bin/thetahat compile --folder /opt/thetahat/share/thetahat/loops

FROM worker-build AS api-build
RUN /opt/thetahat/bin/pip install --only-binary :all: --require-hashes --no-deps --requirement requirements.lock \
    && /opt/thetahat/bin/thetahat compile --folder /opt/thetahat/share/thetahat/loops

FROM ${PYTHON_IMAGE} AS base
LABEL org.opencontainers.image.title="thetahat" \
    org.opencontainers.image.description="How good trained models are, how certain that is, and which of them is better." \
    org.opencontainers.image.version="0.1.0" \
    org.opencontainers.image.licenses="BSD-3-Clause"
RUN groupadd --system --gid 10001 thetahat \
    && useradd --system --uid 10001 --gid 10001 --no-create-home thetahat \
    && install --directory --owner 10001 --group 10001 /var/lib/thetahat
ENV PATH=/opt/thetahat/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    # The image is read-only: workers copy its compiled loops there at their start.
    NUMBA_CACHE_DIR=/var/lib/thetahat/loops \
    THETAHAT_DATA_DIR=/var/lib/thetahat
USER 10001:10001
WORKDIR /var/lib/thetahat
VOLUME /var/lib/thetahat
# Workers finish or give back their unit on SIGTERM.
STOPSIGNAL SIGTERM

FROM base AS worker
COPY --from=worker-build /opt/thetahat /opt/thetahat
CMD ["thetahat", "worker"]

FROM base AS api
COPY --from=api-build /opt/thetahat /opt/thetahat
ENV THETAHAT_HOST=0.0.0.0 \
    THETAHAT_PORT=8000
EXPOSE 8000
# For the API; the other processes switch it off or have their own.
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 \
    CMD ["python", "-c", "import os, urllib.request as r; r.urlopen('http://127.0.0.1:' + os.environ['THETAHAT_PORT'] + '/healthz', timeout=4)"]
CMD ["thetahat", "api"]
