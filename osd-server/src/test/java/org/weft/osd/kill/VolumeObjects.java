package org.weft.osd.kill;

import com.google.protobuf.ByteString;
import java.util.Arrays;
import java.util.SortedMap;
import java.util.TreeMap;
import org.weft.osd.harness.Caps;
import org.weft.osd.harness.OsdCaller;
import org.weft.protocol.capability.SignedCapability;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.wire.AttributePage;
import org.weft.protocol.wire.BlockRun;
import org.weft.protocol.wire.GetAttributesReply;

/** What a manager keeps on an OSD: pages, blocks and version of each object. Equal by content. */
record VolumeObjects(SortedMap<Long, Stored> objects) {
  static final int MAX_BLOCKS = 32;

  /** One object. */
  record Stored(
      SortedMap<Integer, AttributePage> pages, SortedMap<Long, ByteString> blocks, long version) {}

  static VolumeObjects empty() {
    return new VolumeObjects(new TreeMap<>());
  }

  private Stored copyOf(long object) {
    Stored old = objects.get(object);
    return old == null
        ? new Stored(new TreeMap<>(), new TreeMap<>(), 0)
        : new Stored(new TreeMap<>(old.pages()), new TreeMap<>(old.blocks()), old.version());
  }

  private VolumeObjects with(long object, Stored stored) {
    SortedMap<Long, Stored> changed = new TreeMap<>(objects);
    changed.put(object, stored);
    return new VolumeObjects(changed);
  }

  VolumeObjects withPage(long object, AttributePage page) {
    Stored stored = copyOf(object);
    stored.pages().put(page.getPage(), page);
    return with(object, stored);
  }

  VolumeObjects withBlock(long object, long number, byte[] bytes) {
    Stored stored = copyOf(object);
    stored.blocks().put(number, ByteString.copyFrom(bytes));
    return with(object, stored);
  }

  VolumeObjects withVersion(long object, long version) {
    Stored stored = copyOf(object);
    return with(object, new Stored(stored.pages(), stored.blocks(), version));
  }

  VolumeObjects without(long object) {
    SortedMap<Long, Stored> changed = new TreeMap<>(objects);
    changed.remove(object);
    return new VolumeObjects(changed);
  }

  /** As the OSD has it; every block is checked. */
  static VolumeObjects read(OsdCaller osd, Caps caps, long epoch) throws WeftException {
    SignedCapability manager = caps.manager(epoch);
    VolumeObjects state = empty();
    for (long object : osd.list(manager, 0, 0).getObjectIdList()) {
      GetAttributesReply attributes = osd.attributes(manager, object);
      state = state.withVersion(object, attributes.getObjectVersion());
      for (AttributePage page : attributes.getPagesList()) {
        state = state.withPage(object, page);
      }
      var content = osd.read(manager, object, 0, MAX_BLOCKS * 4_096);
      for (BlockRun run : content.reply().getRunsList()) {
        for (long block = run.getFirstBlock();
            block < run.getFirstBlock() + run.getBlockCount();
            block++) {
          byte[] bytes =
              Arrays.copyOfRange(content.bytes(), (int) block * 4_096, (int) (block + 1) * 4_096);
          state = state.withBlock(object, block, bytes);
        }
      }
    }
    return state;
  }
}
