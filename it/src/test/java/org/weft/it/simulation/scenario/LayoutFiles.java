package org.weft.it.simulation.scenario;

import java.util.List;
import org.weft.client.LayoutSpec;
import org.weft.client.WeftPath;
import org.weft.simulator.node.ClientNode;

/** A file of each layout that bears the loss of an OSD, with the directories above them. */
final class LayoutFiles {
  static final String WIDE = "/file";
  static final String SMALL = "/a/b/small";
  static final String MIRRORED = "/a/b/mirrored";
  static final String DOUBLE = "/a/b/double";
  static final List<String> PATHS = List.of(WIDE, SMALL, MIRRORED, DOUBLE);
  static final List<String> DIRECTORIES = List.of("/", "/a", "/a/b");

  /** What {@link #WIDE} and {@link #DOUBLE} hold: several stripes, and a part of one. */
  static final byte[] LONG_BYTES = Stage.bytes(1, 11 * Stage.STRIPE + 3_000);

  /** What the others hold: less than one unit. */
  static final byte[] SHORT_BYTES = Stage.bytes(2, 3_000);

  private LayoutFiles() {}

  static void put(Stage stage, ClientNode client) throws Exception {
    var made = stage.call(client.files().mkdirs(WeftPath.of("/a/b"), 0755));
    stage.put(client, WIDE, Stage.WIDE, LONG_BYTES);
    stage.put(client, SMALL, Stage.WIDE, SHORT_BYTES);
    stage.put(client, MIRRORED, LayoutSpec.of(1, 1, Stage.UNIT), SHORT_BYTES);
    stage.put(client, DOUBLE, LayoutSpec.of(2, 2, Stage.UNIT), LONG_BYTES);
  }
}
