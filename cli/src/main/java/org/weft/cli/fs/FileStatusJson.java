package org.weft.cli.fs;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.util.Locale;
import org.weft.cli.output.ModeText;
import org.weft.client.FileStatus;
import org.weft.client.LayoutSpec;
import org.weft.protocol.layout.StorageMap;

/** A file's status as JSON. */
final class FileStatusJson {
  private FileStatusJson() {}

  static ObjectNode brief(FileStatus status) {
    ObjectNode node =
        JsonNodeFactory.instance
            .objectNode()
            .put("path", status.path().toString())
            .put("type", status.type().name().toLowerCase(Locale.ROOT))
            .put("size", status.sizeBytes())
            .put("mode", ModeText.octal(status.mode()))
            .put("acl", status.hasAcl())
            .put("owner", status.owner())
            .put("group", status.group())
            .put("modified", Instant.ofEpochMilli(status.mtimeMillis()).toString())
            .put("links", status.links());
    status.layout().ifPresent(layout -> node.put("code", LsFormat.code(layout)));
    status.symlinkTarget().ifPresent(target -> node.put("target", target));
    return node;
  }

  static ObjectNode full(FileStatus status) {
    ObjectNode node = brief(status);
    node.put("changed", Instant.ofEpochMilli(status.ctimeMillis()).toString())
        .put("accessed", Instant.ofEpochMilli(status.atimeMillis()).toString())
        .put("objectId", Long.toUnsignedString(status.objectId()))
        .put("changeNumber", Long.toUnsignedString(status.changeNumber()));
    if (status.isDirectory()) {
      node.put("entries", status.entries());
    }
    status.defaultLayout().ifPresent(wish -> node.set("defaultLayout", wish(wish)));
    status.map().ifPresent(map -> node.set("map", map(map)));
    return node;
  }

  private static ObjectNode wish(LayoutSpec wish) {
    return JsonNodeFactory.instance
        .objectNode()
        .put("dataUnits", wish.dataUnits())
        .put("parityUnits", wish.parityUnits())
        .put("unitBytes", wish.unitBytes());
  }

  private static ObjectNode map(StorageMap map) {
    ObjectNode node = JsonNodeFactory.instance.objectNode();
    node.put("dataUnits", map.layout().dataUnits())
        .put("parityUnits", map.layout().parityUnits())
        .put("unitBytes", map.layout().unitBytes())
        .put("groups", map.layout().groups())
        .put("groupDepth", map.layout().groupDepth())
        .put("generation", map.generation());
    ArrayNode osds = node.putArray("osds");
    map.components().forEach(osd -> osds.add(Integer.toUnsignedLong(osd.value())));
    ArrayNode missing = node.putArray("missing");
    map.missing().forEach(missing::add);
    return node;
  }
}
