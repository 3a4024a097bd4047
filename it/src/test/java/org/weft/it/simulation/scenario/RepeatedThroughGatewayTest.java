package org.weft.it.simulation.scenario;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import com.google.protobuf.ByteString;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.weft.client.ids.AttributesWish;
import org.weft.client.ids.CreateWish;
import org.weft.client.ids.FilesById;
import org.weft.client.ids.NewNode;
import org.weft.client.ids.NodeId;
import org.weft.client.ids.OnBehalfOf;
import org.weft.client.ids.RequestBy;
import org.weft.client.ids.RequestOrigin;
import org.weft.client.ids.WriteStability;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.rpc.Payload;
import org.weft.simulator.base.WorldOptions;
import org.weft.simulator.node.ClientNode;
import org.weft.simulator.node.SimulatedManager;
import org.weft.sysmgr.configuration.volume.Volume;

/**
 * A gateway dies between the record of a change and its reply (P 6.5c). The client asks again
 * through another gateway, which does not know the first request.
 */
class RepeatedThroughGatewayTest {
  private static final long LONG_MILLIS = 120_000;

  private static RequestBy by(int number, int asked) {
    byte[] digest = ByteBuffer.allocate(RequestOrigin.DIGEST_BYTES).putInt(asked).array();
    return new RequestBy(
        new OnBehalfOf("root", List.of("root"), true),
        Optional.of(
            new RequestOrigin(
                ByteString.copyFrom(new byte[] {10, 1, 2, 3}),
                number,
                asked,
                ByteString.copyFrom(digest))));
  }

  /** Two gateways of one client, the first of which loses the manager's answers, and then it. */
  private static final class TwoGateways {
    final Stage stage = Stage.boot();
    final ClientNode first = stage.gateway();
    final FilesById files = first.filesById();
    final NodeId root;
    final FilesById other;
    final String manager = serving(stage).name();

    TwoGateways() throws Exception {
      root = stage.call(files.resolve("/")).id();
      other = stage.gateway().filesById();
    }

    void loseAnswers() {
      stage.world().network().cut(manager, first.name());
    }

    void cutOff() {
      stage.world().network().cut(first.name(), manager);
    }

    /** A rename of a to b is done; the first gateway does not know that, and is cut off. */
    CompletableFuture<?> renamedInDoubt() throws Exception {
      stage.call(mkdir(files, by(1, 1), root, "a"));
      loseAnswers();
      CompletableFuture<?> rename = files.rename(by(2, 2), root, "a", root, "b");
      var renamed = stage.call(settled(other, root, "b"));
      cutOff();
      return rename;
    }

    /** So long that its session has ended. */
    void letLapse(CompletableFuture<?> change) {
      stage.world().pass(15_000);
      assertFalse(change.isDone(), "its answer is under way");
    }
  }

  private static CompletableFuture<?> mkdir(FilesById files, RequestBy by, NodeId in, String name) {
    return files.make(by, in, name, new NewNode.Directory(AttributesWish.ofMode(0755)));
  }

  private static SimulatedManager serving(Stage stage) {
    return stage.world().managers().stream()
        .filter(manager -> manager.isRunning() && !manager.isPaused() && manager.isServing())
        .findFirst()
        .orElseThrow();
  }

  /** Asks until the name is there. */
  private static CompletableFuture<Boolean> settled(FilesById files, NodeId in, String name) {
    return files
        .lookUp(by(0, 0), in, name)
        .handle((found, failure) -> failure == null)
        .thenCompose(
            there -> there ? CompletableFuture.completedFuture(true) : settled(files, in, name));
  }

  /** What comes of a rename and a mkdir whose gateway died, once its end was seen by others. */
  private static void repeatThroughAnother(Stage stage, Runnable between) throws Exception {
    ClientNode first = stage.gateway();
    FilesById files = first.filesById();
    NodeId root = stage.call(files.resolve("/")).id();
    stage.call(mkdir(files, by(1, 1), root, "a"));
    FilesById other = stage.gateway().filesById();
    stage.world().network().cut(serving(stage).name(), first.name());
    CompletableFuture<?> rename = files.rename(by(2, 2), root, "a", root, "b");
    CompletableFuture<?> made = mkdir(files, by(3, 3), root, "c");
    var renamed = stage.call(settled(other, root, "b"));
    var there = stage.call(settled(other, root, "c"));
    assertFalse(rename.isDone() || made.isDone(), "their answers are under way");
    first.kill();
    stage.world().network().heal();
    between.run();
    FilesById second = stage.gateway().filesById();
    stage.call(second.rename(by(2, 2), root, "a", root, "b"));
    stage.call(mkdir(second, by(3, 3), root, "c"));
    assertEquals(
        ErrorCode.NOT_FOUND,
        stage.failureOf(second.rename(by(2, 4), root, "a", root, "b")).code(),
        "the number is used again");
    assertEquals(ErrorCode.EXISTS, stage.failureOf(mkdir(second, by(4, 3), root, "c")).code());
  }

  @Test
  void theManagerAnswersAsTheFirstTime() throws Exception {
    repeatThroughAnother(Stage.boot(), () -> {});
  }

  @Test
  void restartedManagerAnswersTheRepeat() throws Exception {
    Stage stage = Stage.boot();
    repeatThroughAnother(
        stage,
        () -> {
          SimulatedManager manager = serving(stage);
          manager.kill();
          manager.start();
        });
  }

  @Test
  void promotedBackupAnswersTheRepeat() throws Exception {
    Stage stage = Stage.boot(WorldOptions.of(2).withPairs(2));
    stage
        .world()
        .await(
            "the volume has a backup",
            LONG_MILLIS,
            () ->
                stage
                    .world()
                    .configuration()
                    .filter(
                        known -> known.volumes().get(Volume.ROOT).backup().manager().isPresent())
                    .isPresent());
    repeatThroughAnother(stage, () -> serving(stage).kill());
  }

  /** The gateway lives; its session lapses before it hears that the change was made. */
  @Test
  void aGatewayWhoseSessionHasEndedAsksAgainItself() throws Exception {
    TwoGateways two = new TwoGateways();
    CompletableFuture<?> rename = two.renamedInDoubt();
    two.letLapse(rename);
    // What the name leads to now is another's, and stays where it is.
    two.stage.call(mkdir(two.other, by(5, 5), two.root, "a"));
    two.stage.world().network().heal();
    two.stage.call(rename);
    two.stage.call(two.other.lookUp(by(0, 0), two.root, "a"));
    two.stage.call(two.other.lookUp(by(0, 0), two.root, "b"));
  }

  /** The client has gone on through another gateway while the first one was cut off. */
  @Test
  void cutOffGatewayTruncatesNoLaterBytes() throws Exception {
    TwoGateways two = new TwoGateways();
    Stage stage = two.stage;
    CreateWish guarded = new CreateWish.Guarded(AttributesWish.ofMode(0644));
    NodeId file = stage.call(two.files.create(by(1, 1), two.root, "file", guarded)).node().id();
    two.loseAnswers();
    AttributesWish empty = AttributesWish.ofSize(0);
    CompletableFuture<?> cut = two.files.setAttributes(by(2, 2), file, empty, OptionalLong.empty());
    stage.world().pass(1_000);
    two.cutOff();
    two.letLapse(cut);
    stage.call(two.other.setAttributes(by(2, 2), file, empty, OptionalLong.empty()));
    Payload bytes = Payload.of(ByteBuffer.wrap(new byte[5_000]));
    stage.call(two.other.write(by(3, 3), file, 0, bytes, WriteStability.STABLE));
    assertFalse(cut.isDone(), "its answer is under way");
    stage.world().network().heal();
    assertEquals(ErrorCode.SESSION_EXPIRED, stage.failureOf(cut).code());
    stage.world().pass(5_000);
    assertEquals(5_000, stage.call(two.other.attributes(by(0, 0), file)).sizeBytes());
  }

  /** It has sent so many changes behind it that the manager has forgotten the first answer. */
  @Test
  void cutOffGatewayDoesNotRedoAForgottenChange() throws Exception {
    TwoGateways two = new TwoGateways();
    Stage stage = two.stage;
    stage.call(mkdir(two.files, by(1, 1), two.root, "a"));
    two.loseAnswers();
    CompletableFuture<?> rename = two.files.rename(by(2, 2), two.root, "a", two.root, "b");
    var renamed = stage.call(settled(two.other, two.root, "b"));
    NodeId renamedNode = stage.call(two.other.lookUp(by(0, 0), two.root, "b")).node().id();
    List<CompletableFuture<?>> behind = new ArrayList<>();
    for (int number = 100; number < 700; number++) {
      AttributesWish mode = AttributesWish.ofMode(number % 2 == 0 ? 0700 : 0750);
      behind.add(two.files.setAttributes(by(number, 1), renamedNode, mode, OptionalLong.empty()));
    }
    stage.world().pass(1_000);
    two.cutOff();
    NodeId later = stage.call(two.other.make(by(5, 5), two.root, "a", directory())).node().id();
    two.letLapse(rename);
    stage.world().network().heal();
    assertEquals(ErrorCode.SESSION_EXPIRED, stage.failureOf(rename).code());
    assertEquals(later, stage.call(two.other.lookUp(by(0, 0), two.root, "a")).node().id());
    stage.call(behind.get(behind.size() - 1));
  }

  /** A host has mounted two gateways: its programs go on through the one that lives. */
  @Test
  void changesThroughAnotherGatewayKeepTheHostsFirstAnswers() throws Exception {
    TwoGateways two = new TwoGateways();
    Stage stage = two.stage;
    CompletableFuture<?> rename = two.renamedInDoubt();
    NodeId later = stage.call(two.other.make(by(5, 5), two.root, "a", directory())).node().id();
    for (int number = 100; number < 700; number++) {
      AttributesWish mode = AttributesWish.ofMode(number % 2 == 0 ? 0700 : 0750);
      stage.call(two.other.setAttributes(by(number, 1), later, mode, OptionalLong.empty()));
    }
    two.letLapse(rename);
    stage.world().network().heal();
    stage.call(rename);
    assertEquals(later, stage.call(two.other.lookUp(by(0, 0), two.root, "a")).node().id());
  }

  private static NewNode directory() {
    return new NewNode.Directory(AttributesWish.ofMode(0755));
  }
}
