package org.weft.recovery;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import org.weft.client.stripe.ModelFile;
import org.weft.client.stripe.StripeWorld;
import org.weft.client.stripe.base.StripedFile;
import org.weft.protocol.id.ObjectName;
import org.weft.protocol.layout.StorageMap;
import org.weft.protocol.rpc.Opcode;
import org.weft.recovery.resolve.ResolveOutcome;
import org.weft.recovery.resolve.ResolveTask;
import org.weft.testkit.osd.FakeOsd;
import org.weft.testkit.osd.Fault;

/** The manager's part after a writer's death (P 5.5), for one file of a {@link StripeWorld}. */
public final class Resolving {
  private static final Set<Opcode> CHANGING =
      EnumSet.of(
          Opcode.WRITE, Opcode.XOR_WRITE, Opcode.ABORT, Opcode.COMPLETE, Opcode.RAISE_VERSION);
  private static final long LONG_NANOS = 60_000_000_000L;

  private final StripeWorld world;
  private final ObjectName name;
  private final long oldestGrant;
  private final long publishedBytes;
  private final int truncationNumber;
  private final boolean trimming;
  private final TreeSet<Integer> suspects = new TreeSet<>();

  public Resolving(
      StripeWorld world,
      ObjectName name,
      long oldestGrant,
      long publishedBytes,
      int truncationNumber,
      boolean trimming) {
    this.world = world;
    this.name = name;
    this.oldestGrant = oldestGrant;
    this.publishedBytes = publishedBytes;
    this.truncationNumber = truncationNumber;
    this.trimming = trimming;
  }

  /** What a manager does before it grants that file again; true if nothing of it was lost. */
  public static CompletableFuture<Boolean> beforeRegrant(ModelFile file, long number) {
    return new Resolving(
            file.world,
            file.name,
            number,
            file.publishedBytes,
            file.truncationNumber,
            file.trim.isPresent())
        .attempt(file.map)
        .thenApply(outcome -> outcome.lost().isEmpty());
  }

  /** One attempt of a manager, versions raised before. */
  public CompletableFuture<ResolveOutcome> attempt(StorageMap map) {
    StripedFile managed = world.managed(world.readable(name, map));
    SortedMap<Integer, Long> starts = new TreeMap<>();
    for (int component = 0; component < map.components().size(); component++) {
      starts.put(component, world.osd(map.osdOf(component)).incarnation());
    }
    StripedFile file = new StripedFile(name, map, managed.capability(), starts);
    long number = StripeWorld.grantOf(file);
    for (int component = 0; component < map.components().size(); component++) {
      FakeOsd osd = world.osd(map.osdOf(component));
      if (!map.isMissing(component) && osd.objects().contains(name)) {
        osd.raiseVersion(name, number);
      }
    }
    ResolveTask task =
        new ResolveTask(
            number, oldestGrant, publishedBytes, truncationNumber, trimming, false, suspects);
    return new FileRecovery(world.engine).resolver(file, task).resolve();
  }

  /** More of these lost their power than the code bears. */
  public Resolving suspecting(Integer... components) {
    suspects.addAll(List.of(components));
    return this;
  }

  /** Until it is over. */
  public ResolveOutcome resolve(StorageMap map) {
    ResolveOutcome outcome = world.time.await(attempt(map));
    assertEquals(0, outcome.lost().size(), () -> "lost: " + outcome.lost());
    return outcome;
  }

  /**
   * The manager dies after so many messages.
   *
   * @return true if it had more to do
   */
  public boolean interrupt(StorageMap map, int messages) {
    int[] sent = new int[1];
    for (FakeOsd osd : world.osds) {
      osd.faults(
          opcode ->
              CHANGING.contains(opcode) && sent[0]++ >= messages ? Fault.SILENCE : Fault.NONE);
    }
    CompletableFuture<ResolveOutcome> attempt = attempt(map);
    var unused = attempt.exceptionally(thrown -> null);
    world.time.pass(LONG_NANOS);
    world.endFaults();
    return sent[0] > messages;
  }
}
