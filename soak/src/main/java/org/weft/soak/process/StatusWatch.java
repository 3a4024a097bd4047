package org.weft.soak.process;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import org.weft.protocol.rpc.Endpoint;
import org.weft.testkit.process.Await;

/**
 * What SysMgr's status says of volumes and drains, asked over HTTP as a monitor would. Not
 * thread-safe.
 */
public final class StatusWatch {
  private static final String ROOT = "/";

  private static final Duration ANSWER_WITHIN = Duration.ofSeconds(5);

  private final List<Endpoint> rests;
  private final HttpClient http = HttpClient.newBuilder().connectTimeout(ANSWER_WITHIN).build();
  private final ObjectMapper mapper = new ObjectMapper();
  private List<JsonNode> last = List.of();

  /**
   * @param rests where SysMgr's members answer; the first one that does is believed
   */
  public StatusWatch(List<Endpoint> rests) {
    this.rests = List.copyOf(rests);
  }

  /** The manager that serves the root volume, once another one has all of its journal. */
  public int awaitPair(long seconds) throws Exception {
    return awaitPair(seconds, volume -> true).path("managerId").asInt();
  }

  /** The same of managers that are both others than this one, which is gone. */
  public void awaitPairWithout(long seconds, int gone) throws Exception {
    var unused =
        awaitPair(
            seconds,
            volume ->
                volume.path("managerId").asInt() != gone
                    && volume.path("backupId").asInt() != gone);
  }

  private JsonNode awaitPair(long seconds, Predicate<JsonNode> rule) throws Exception {
    List<JsonNode> found = new ArrayList<>();
    Await.until(
        seconds,
        () -> "the volume got no backup: " + last,
        () -> {
          root().filter(StatusWatch::isPaired).filter(rule).ifPresent(found::add);
          return !found.isEmpty();
        });
    return found.get(0);
  }

  /** The manager that has a whole copy of the root volume's journal; 0: none. */
  public int backup() throws InterruptedException {
    return root().map(volume -> volume.path("backupId").asInt()).orElse(0);
  }

  /** Nothing that removed OSDs held is still to be written anew. */
  public void awaitRebuilt(long seconds) throws Exception {
    Await.until(
        seconds,
        () -> "what was lost is not rebuilt: " + last,
        () -> every(StatusWatch::isRebuilt));
  }

  /** No file of any volume lacks a component any more. */
  public void awaitWhole(long seconds) throws Exception {
    Await.until(seconds, () -> "files lack components: " + last, this::isWhole);
  }

  /** No file lacks a component; what is being written is rebuilt when it is closed. */
  public boolean isWhole() throws InterruptedException {
    return every(
        volume ->
            volume.path("health").path("repairComponents").asLong(1) == 0 && isRebuilt(volume));
  }

  private static boolean isPaired(JsonNode volume) {
    return volume.path("backupId").asInt() != 0
        && volume.path("health").path("backupState").asText().equals("in step");
  }

  /** A volume with a silent manager is unknown. */
  private static boolean isRebuilt(JsonNode volume) {
    JsonNode health = volume.path("health");
    JsonNode repair = health.path("repair");
    return health.path("state").asText().equals("serving")
        && (repair.isMissingNode()
            || repair.isNull()
            || (repair.path("filesToDo").asLong() == 0
                && repair.path("waitingFiles").asLong() == 0
                && repair.path("failedFiles").asLong() == 0
                && repair.path("unheardOsds").isEmpty()));
  }

  private Optional<JsonNode> root() throws InterruptedException {
    return volumes().stream()
        .filter(volume -> volume.path("path").asText().equals(ROOT))
        .findFirst();
  }

  private boolean every(Predicate<JsonNode> rule) throws InterruptedException {
    List<JsonNode> volumes = volumes();
    return !volumes.isEmpty() && volumes.stream().allMatch(rule);
  }

  /** No part of any file is on the OSD any more, which an operator has drained. */
  public boolean isDrained(int osd) throws InterruptedException {
    for (JsonNode row : table().path("osds")) {
      if (row.path("id").asInt() == osd) {
        return row.path("drained").asBoolean();
      }
    }
    return false;
  }

  /** Empty while no member answers. */
  private List<JsonNode> volumes() throws InterruptedException {
    JsonNode table = table();
    List<JsonNode> volumes = new ArrayList<>();
    table.path("volumes").forEach(volumes::add);
    last = table.isMissingNode() ? last : volumes;
    return volumes;
  }

  /** Missing while no member answers. */
  private JsonNode table() throws InterruptedException {
    for (Endpoint rest : rests) {
      try {
        HttpRequest question =
            HttpRequest.newBuilder(URI.create("http://" + rest + "/api/v1/status"))
                .timeout(ANSWER_WITHIN)
                .build();
        HttpResponse<String> answer = http.send(question, HttpResponse.BodyHandlers.ofString());
        if (answer.statusCode() == 200) {
          return mapper.readTree(answer.body()).path("table");
        }
      } catch (IOException e) {
        // This member is away; the next one is asked.
      }
    }
    return MissingNode.getInstance();
  }
}
