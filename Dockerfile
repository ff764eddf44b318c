# campaignctl with git, which keeps the state on a branch. Build it in a clone: docker build -t campaignctl .
# Run it at the root of a repository. docs/releases.md explains the options:
#   docker run --rm --user "$(id -u):$(id -g)" -v "$PWD:/work" \
#     -e CI -e TF_BUILD -e JENKINS_URL -e TEAMCITY_VERSION \
#     -e CAMPAIGNCTL_ENV -e CAMPAIGNCTL_ORIGINS -e CAMPAIGNS_TOKEN campaignctl plan
ARG NODE=22.23.5-bookworm-slim

FROM node:${NODE} AS build
WORKDIR /source
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY . .
RUN npm run build \
  && npm pack --ignore-scripts --pack-destination / \
  && tar --extract --gzip --file /campaignctl-*.tgz --directory / --no-same-owner

FROM node:${NODE}
RUN apt-get update \
  && apt-get install --yes --no-install-recommends ca-certificates git \
  && rm -rf /var/lib/apt/lists/*
# The program contains its dependencies.
COPY --from=build /package /opt/campaignctl
RUN ln -s /opt/campaignctl/dist/campaignctl.cjs /usr/local/bin/campaignctl
USER node
WORKDIR /work
ENTRYPOINT ["campaignctl"]
