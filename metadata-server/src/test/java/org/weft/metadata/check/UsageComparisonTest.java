package org.weft.metadata.check;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.attributes.NodeKind;
import org.weft.metadata.check.CheckedVolume.TreeUsage;
import org.weft.metadata.quota.QuotaTree;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.layout.Layout;
import org.weft.protocol.layout.StorageMap;

/** What trees hold is compared with what was counted, if they stand still (P 6.8d). */
class UsageComparisonTest {
  private static final ObjectId OUTER = new ObjectId(10);
  private static final ObjectId INNER = new ObjectId(20);
  private static final StorageMap MAP =
      StorageMap.of(new Layout(1, 1, 4096, 1, 1), List.of(new OsdId(1), new OsdId(2)));

  private final UsageComparison sums = new UsageComparison();
  private final Map<ObjectId, TreeUsage> trees = new HashMap<>();

  private static TreeUsage usage(ObjectId parent, long bytes, long files) {
    return new TreeUsage(parent, "dir", true, bytes, files, 5);
  }

  private void node(long object, NodeKind kind, long sizeBytes, ObjectId tree) {
    sums.saw(
        Attributes.create(new ObjectId(object), kind, MAP)
            .sizeBytes(sizeBytes)
            .quotaTree(tree)
            .build());
  }

  private void nodes() {
    node(10, NodeKind.DIRECTORY, 7, OUTER);
    node(11, NodeKind.FILE, 100, OUTER);
    node(20, NodeKind.DIRECTORY, 7, INNER);
    node(21, NodeKind.FILE, 1_000, INNER);
    node(30, NodeKind.FILE, 50_000, QuotaTree.NONE);
  }

  private List<ObjectId> wrong(long outerBytes, long outerFiles, long innerBytes, long innerFiles) {
    trees.put(OUTER, usage(QuotaTree.NONE, outerBytes, outerFiles));
    trees.put(INNER, usage(OUTER, innerBytes, innerFiles));
    sums.begin(Map.copyOf(trees));
    nodes();
    return sums.wrong(trees).stream().map(Suspicion::object).toList();
  }

  @Test
  void innerTreeCountsInTheOuterTree() {
    assertEquals(List.of(), wrong(1_100, 4, 1_000, 2));
  }

  @Test
  void wrongSumIsReported() {
    assertEquals(List.of(OUTER), wrong(1_101, 4, 1_000, 2));
    assertEquals(List.of(INNER), wrong(1_100, 4, 1_000, 3));
  }

  @Test
  void aTreeThatChangedMeanwhileIsNotCompared() {
    trees.put(OUTER, usage(QuotaTree.NONE, 1, 1));
    sums.begin(Map.copyOf(trees));
    nodes();
    trees.put(OUTER, new TreeUsage(QuotaTree.NONE, "dir", true, 1, 1, 6));
    assertEquals(List.of(), sums.wrong(trees));
    trees.clear();
    assertEquals(List.of(), sums.wrong(trees));
  }

  @Test
  void treeBeingCountedIsSkippedButCountsInOuterTrees() {
    trees.put(OUTER, usage(QuotaTree.NONE, 1_100, 4));
    trees.put(INNER, new TreeUsage(OUTER, "dir/in", false, 0, 1, 5));
    sums.begin(Map.copyOf(trees));
    nodes();
    assertEquals(List.of(), sums.wrong(trees));
  }

  @Test
  void anotherPassBeginsFromNothing() {
    assertEquals(List.of(OUTER), wrong(1, 1, 1_000, 2));
    assertEquals(List.of(), wrong(1_100, 4, 1_000, 2));
    assertTrue(sums.isWhole());
    sums.incomplete();
    assertFalse(sums.isWhole());
  }
}
