package org.weft.metadata.check;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.attributes.NodeKind;
import org.weft.metadata.attributes.ParentHint;
import org.weft.metadata.attributes.Truncation;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.layout.Layout;
import org.weft.protocol.layout.StorageMap;

/** What a check says of files whose parity it could not compare, for they are not at rest. */
class ParityLookTest {
  private static final ObjectId OBJECT = new ObjectId(7);
  private static final int UNIT_BYTES = 64 << 10;

  private final Steps steps = new Steps(Runnable::run);
  private final FindingList findings = new FindingList();
  private final CheckProgress progress = new CheckProgress();

  private static Attributes file() {
    StorageMap map =
        StorageMap.of(
            new Layout(2, 1, UNIT_BYTES, 1, 1), List.of(new OsdId(1), new OsdId(2), new OsdId(3)));
    return Attributes.create(OBJECT, NodeKind.FILE, map)
        .sizeBytes(UNIT_BYTES)
        .parent(new ParentHint(ObjectId.ROOT, "file"))
        .changeLsn(new Lsn(1))
        .build();
  }

  private static Attributes cut() {
    return file().edit().truncation(new Truncation(1, OptionalLong.of(3L * UNIT_BYTES))).build();
  }

  private static NodeState state(Attributes file, boolean busy, boolean damaged) {
    return new NodeState(
        OBJECT,
        Optional.of(file),
        new TreeSet<>(),
        new LiveNode(false, false, busy, damaged, 0, new TreeSet<>(), new TreeSet<>()),
        NodeState.Named.YES);
  }

  /** As a check looks at it: in its turn, then again until the last time. */
  private void look(NodeState state, boolean served) {
    CheckedVolume volume =
        (CheckedVolume)
            Proxy.newProxyInstance(
                CheckedVolume.class.getClassLoader(),
                new Class<?>[] {CheckedVolume.class},
                (proxy, method, arguments) -> {
                  if (method.getName().equals("states")) {
                    return CompletableFuture.completedFuture(Map.of(OBJECT, state));
                  }
                  if (method.getName().equals("isServed")) {
                    return served;
                  }
                  throw new AssertionError(method.getName() + " is not asked");
                });
    ParityLook looks =
        new ParityLook(volume, steps, new SecondLook(volume, steps, findings), findings, progress);
    // The check counts what is busy when it lists it.
    progress.written += state.live().busy() ? 1 : 0;
    looks.look(state).toCompletableFuture().join();
    assertTrue(looks.hasLater());
    looks.again(false).toCompletableFuture().join();
    assertTrue(looks.hasLater());
    looks.again(true).toCompletableFuture().join();
  }

  @Test
  void aCutThatWaitsForItsNextWriterCountsAsWrittenOnce() {
    look(state(cut(), false, false), true);
    assertEquals(1, progress.written);
    assertEquals(List.of(), findings.unchecked());
  }

  @Test
  void unresolvedFileOfAnUnservedVolumeCountsAsWrittenOnce() {
    look(state(file(), true, false), false);
    assertEquals(1, progress.written);
    assertEquals(List.of(), findings.unchecked());
  }

  @Test
  void constantlyWrittenFileIsReportedAsNotChecked() {
    look(state(file(), true, false), true);
    assertEquals(1, progress.written);
    assertEquals(1, findings.unchecked().size());
  }

  @Test
  void aFileThatHasLostBytesIsNamedAsNotChecked() {
    look(state(file(), true, true), false);
    assertEquals(1, findings.unchecked().size());
  }
}
