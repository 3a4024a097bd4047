package org.weft.metadata.objects.cache;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.weft.metadata.acl.Acl;
import org.weft.metadata.acl.Acls;
import org.weft.metadata.acl.BoundedEntries;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.attributes.AttributesCodec;
import org.weft.metadata.attributes.NodeKind;
import org.weft.metadata.attributes.ParentHint;
import org.weft.metadata.objects.CopyWrite;
import org.weft.metadata.objects.CopyWrite.WriteAttributes;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.layout.Layout;
import org.weft.protocol.layout.StorageMap;

/** Long attribute pages count for what they are, on the wire and in memory. */
class AttributeWeightTest {
  private static Attributes page(long object, int xattrs, int valueBytes) {
    SortedMap<String, ByteString> all = new TreeMap<>();
    for (int index = 0; index < xattrs; index++) {
      all.put("user.\u20ac" + index, ByteString.copyFrom(new byte[valueBytes]));
    }
    StorageMap map = StorageMap.of(Layout.of(1, 1), List.of(new OsdId(1), new OsdId(2)));
    return Attributes.create(new ObjectId(object), NodeKind.FILE, map)
        .owner("\u20ac".repeat(255))
        .group("\u20ac".repeat(255))
        .parent(new ParentHint(ObjectId.ROOT, "\u20ac".repeat(85)))
        .symlinkTarget(ByteString.copyFrom(new byte[4_095]))
        .xattrs(all)
        .acls(acls(xattrs))
        .build();
  }

  /** As many entries as there are extended attributes, up to what a list may have. */
  private static Acls acls(int entries) {
    if (entries == 0) {
      return Acls.NONE;
    }
    SortedMap<String, Integer> named = new TreeMap<>();
    for (int index = 0; index < Math.min(entries, 28); index++) {
      named.put("\u20ac".repeat(84) + index, 7);
    }
    BoundedEntries bounded = new BoundedEntries(7, named, named);
    return new Acls(Optional.of(bounded), Optional.of(new Acl(7, bounded, OptionalInt.of(7), 7)));
  }

  @Test
  void batchWeightIsNeverUnderestimated() {
    for (int xattrs : new int[] {0, 1, 10, 1_000}) {
      Attributes page = page(70_000, xattrs, 40);
      int bytes = AttributesCodec.toMessage(page).getSerializedSize();
      CopyWrite write =
          new WriteAttributes(page, Lsn.of(1, 1), 0, Collections.emptySortedMap(), Lsn.ZERO);
      assertTrue(write.sizeBytes() >= bytes, write.sizeBytes() + " < " + bytes);
    }
  }

  @Test
  void longPagesPushOutSeveralShortOnes() {
    AttributeTable table = new AttributeTable(100, 0);
    for (long object = 1; object <= 24; object++) {
      table.loaded(page(object, 0, 0), Lsn.of(1, object), table.generation());
    }
    assertNotNull(table.find(new ObjectId(1)));
    table.loaded(page(100, 1, 48_000), Lsn.of(1, 100), table.generation());
    assertNotNull(table.find(new ObjectId(100)));
    int kept = 0;
    for (long object = 1; object <= 24; object++) {
      kept += table.find(new ObjectId(object)) == null ? 0 : 1;
    }
    assertTrue(kept < 24, kept + " kept");
    for (long object = 200; object < 300; object++) {
      table.loaded(page(object, 0, 0), Lsn.of(1, object), table.generation());
    }
    assertNull(table.find(new ObjectId(100)));
    int left = 0;
    for (long object = 200; object < 300; object++) {
      left += table.find(new ObjectId(object)) == null ? 0 : 1;
    }
    assertEquals(100 / 4, left, "pages of this length count for four");
  }
}
