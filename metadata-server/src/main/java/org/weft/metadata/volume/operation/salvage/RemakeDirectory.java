package org.weft.metadata.volume.operation.salvage;

import com.google.protobuf.ByteString;
import com.google.protobuf.MessageLite;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.directory.HashKey;
import org.weft.metadata.volume.execution.Execution;
import org.weft.metadata.volume.execution.Operation;
import org.weft.metadata.volume.state.NeedsInput;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.wire.Empty;

/**
 * The manager's own, when it recovers a volume from its OSDs (P 6.8e). A directory of which no OSD
 * has all blocks begins anew, without names, and keeps its attributes. Its nodes get their names
 * back from their own attributes. Its extended attribute {@value #REMADE} names the recovery, so
 * that an interrupted recovery continues with it.
 *
 * @param recovery first epoch of the order
 */
public record RemakeDirectory(ObjectId directory, long recovery) implements Operation {
  public static final String REMADE = "trusted.weft.remade";

  private static final int DIRECTORY_LINKS = 2;

  /** Whether it began anew in that recovery. */
  public static boolean isOf(Attributes node, long recovery) {
    return value(recovery).equals(node.xattrs().get(REMADE));
  }

  private static ByteString value(long recovery) {
    return ByteString.copyFromUtf8("epoch " + recovery);
  }

  @Override
  public MessageLite execute(Execution on) throws NeedsInput, WeftException {
    Attributes node = on.view().attributes(directory, List.of(), "directory " + directory);
    SortedMap<String, ByteString> xattrs = new TreeMap<>(node.xattrs());
    xattrs.put(REMADE, value(recovery));
    on.draft().createDirectory(directory, HashKey.draw(on.random()));
    var unused =
        on.draft().put(node.edit().entries(0).links(DIRECTORY_LINKS).xattrs(xattrs).build());
    return Empty.getDefaultInstance();
  }
}
