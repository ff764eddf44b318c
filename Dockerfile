# campaignctl with git, which keeps the state on a branch. Build it in a clone: docker build -t campaignctl .
# Run it at the root of a repository. docs/releases.md explains the options:
#   docker run --rm --user "$(id -u):$(id -g)" -v "$PWD:/work" \
#     -e CI -e TF_BUILD -e JENKINS_URL -e TEAMCITY_VERSION \
#     -e CAMPAIGNCTL_ENV -e CAMPAIGNCTL_ORIGINS -e CAMPAIGNS_TOKEN campaignctl plan
FROM node:22-slim AS build
WORKDIR /source
COPY . .
RUN npm ci --ignore-scripts && npm run build && npm pack --ignore-scripts --pack-destination /

FROM node:22-slim
RUN apt-get update \
  && apt-get install --yes --no-install-recommends ca-certificates git \
  && rm -rf /var/lib/apt/lists/*
COPY --from=build /campaignctl-*.tgz /tmp/
RUN npm install --global --omit=dev --ignore-scripts /tmp/campaignctl-*.tgz && rm /tmp/campaignctl-*.tgz
USER node
WORKDIR /work
ENTRYPOINT ["campaignctl"]
