package org.weft.bench.rebuild;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.weft.client.ClientOptions;
import org.weft.client.WeftClient;
import org.weft.client.cluster.ClusterView;
import org.weft.client.cluster.ClusterViewOptions;
import org.weft.client.cluster.PlacementAdmin;
import org.weft.client.cluster.VolumeAdmin;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.rpc.Endpoint;
import org.weft.protocol.seam.Scheduler.OwnedExecutor;
import org.weft.protocol.system.PolledWait;
import org.weft.protocol.system.SystemEnvironment;
import org.weft.protocol.wire.CreateVolumeRequest;
import org.weft.protocol.wire.MoveVolumeRequest;
import org.weft.protocol.wire.NodeState;
import org.weft.protocol.wire.RemoveOsdRequest;

/**
 * A quickstart in one process, as the measurement uses it: files, volumes, and an OSD that goes.
 */
final class RebuiltCluster implements AutoCloseable {
  private static final int TIMEOUT_MILLIS = 120_000;
  private static final int OK = 200;
  private static final Duration POLL = Duration.ofMillis(50);

  private final String rest;
  private final String token;
  private final String user = System.getProperty("user.name");
  private final SystemEnvironment system = SystemEnvironment.create();
  private final OwnedExecutor home;
  private final ClusterView view;
  private final WeftClient client;
  private final HttpClient http = HttpClient.newHttpClient();
  private final ObjectMapper mapper = new ObjectMapper();

  RebuiltCluster(String sysmgr, String rest, Path data) throws IOException {
    this.rest = rest;
    this.token = Files.readString(data.resolve("run").resolve("rest-token")).strip();
    List<Endpoint> endpoints = List.of(Endpoint.parse(sysmgr));
    this.home = system.environment().scheduler().newSerialExecutor("rebuild-bench");
    this.view =
        ClusterView.open(
                ClusterViewOptions.of(endpoints, Optional.empty(), "rebuild-bench"),
                system.environment(),
                home)
            .join();
    this.client =
        WeftClient.connect(
                ClientOptions.builder(endpoints, user, Runnable::run)
                    .clientName("rebuild-bench")
                    .requestTimeoutMillis(TIMEOUT_MILLIS)
                    .build(),
                system.environment())
            .join();
  }

  WeftClient client() {
    return client;
  }

  /** Makes a volume and has a manager serve it. */
  void volume(String path, int manager) {
    var made =
        new VolumeAdmin(view, system.environment(), home, TIMEOUT_MILLIS)
            .create(CreateVolumeRequest.newBuilder().setUser(user).setPath(path).build())
            .join();
    if (made.getVolumeId() == 0) {
      throw new IllegalStateException("volume " + path + " has no number");
    }
    boolean isThere =
        view.refresh().join().getVolumesList().stream()
            .anyMatch(row -> row.getPath().equals(path) && row.getManagerId() == manager);
    if (isThere) {
      return;
    }
    var unused =
        placement()
            .move(
                MoveVolumeRequest.newBuilder()
                    .setUser(user)
                    .setPath(path)
                    .setManagerId(manager)
                    .build())
            .join();
  }

  private PlacementAdmin placement() {
    return new PlacementAdmin(view, system.environment(), home, TIMEOUT_MILLIS);
  }

  /** Stops an OSD, and returns when SysMgr calls it down. */
  void stop(OsdId osd) throws IOException, InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(
                URI.create("http://" + rest + "/api/v1/quickstart/osds/" + osd + "/stop"))
            .timeout(Duration.ofMillis(TIMEOUT_MILLIS))
            .header("Authorization", "Bearer " + token)
            .POST(HttpRequest.BodyPublishers.noBody())
            .build();
    var unused = sent(request);
    await(
        "osd-" + osd + " to be called down",
        () ->
            view.refresh().join().getOsdsList().stream()
                .anyMatch(
                    row -> row.getOsdId() == osd.value() && row.getState() == NodeState.DOWN));
  }

  /** It does not come back: managers begin to rebuild what it held. */
  void remove(OsdId osd) {
    var unused =
        placement()
            .remove(RemoveOsdRequest.newBuilder().setUser(user).setOsdId(osd.value()).build())
            .join();
  }

  /**
   * Waits until managers have said that all files are there, that none is written, and that
   * checkpoints of their OSDs cover all of them. Only such a file is rebuilt.
   */
  void awaitRest(int files) throws InterruptedIOException {
    await(
        "%d files to be closed, and to be under checkpoints of their OSDs".formatted(files),
        () -> {
          long there = 0;
          long open = 0;
          boolean isSaid = true;
          for (JsonNode volume : volumes()) {
            JsonNode health = volume.path("health");
            there += health.path("files").asLong();
            open += health.path("writeGrants").asLong() + health.path("unsettledGrants").asLong();
            // A manager that does not say has said nothing yet, or cannot.
            isSaid &= health.path("unsettledGrants").isNumber();
          }
          return isSaid && there >= files && open == 0;
        });
  }

  /** What the managers say of their rebuilds, for an error message. */
  String repairs() {
    StringBuilder words = new StringBuilder();
    for (JsonNode volume : volumes()) {
      words
          .append(volume.path("path").asText())
          .append(": ")
          .append(volume.path("health").path("repair"))
          .append("; ");
    }
    return words.toString();
  }

  private JsonNode volumes() {
    try {
      return mapper.readTree(
          sent(HttpRequest.newBuilder(URI.create("http://" + rest + "/api/v1/volumes")).build()));
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while asking " + rest, e);
    }
  }

  private String sent(HttpRequest request) throws IOException, InterruptedException {
    HttpResponse<String> reply = http.send(request, HttpResponse.BodyHandlers.ofString());
    if (reply.statusCode() != OK) {
      throw new IOException(request.uri() + " replied " + reply.statusCode() + ": " + reply.body());
    }
    return reply.body();
  }

  /** Looks again and again; for two minutes at most. */
  static void await(String what, BooleanSupplier holds) throws InterruptedIOException {
    PolledWait wait = PolledWait.every(POLL).atMost(Duration.ofMillis(TIMEOUT_MILLIS));
    if (!wait.until(holds::getAsBoolean)) {
      throw new IllegalStateException(
          "waited in vain for " + TIMEOUT_MILLIS / 1_000 + " s for " + what);
    }
  }

  @Override
  public void close() {
    client.close();
    view.close();
    home.close();
    system.close();
  }
}
