package org.weft.cli.layout;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.OptionalLong;
import org.weft.cli.files.RemoteFiles;
import org.weft.client.FileStatus;
import org.weft.client.LayoutSpec;
import org.weft.protocol.layout.Layout;
import org.weft.protocol.layout.StorageMap;

/** Where a file lies, as JSON. */
final class LayoutJson {
  private LayoutJson() {}

  static ObjectNode of(RemoteFiles files, FileStatus file, StorageMap map, OptionalLong at) {
    Layout layout = map.layout();
    ObjectNode node =
        JsonNodeFactory.instance
            .objectNode()
            .put("path", file.path().toString())
            .put("size", file.sizeBytes())
            .put("dataUnits", layout.dataUnits())
            .put("parityUnits", layout.parityUnits())
            .put("unitBytes", layout.unitBytes())
            .put("groups", layout.groups())
            .put("groupDepth", layout.groupDepth())
            .put("small", layout.isSmall(file.sizeBytes()))
            .put("generation", map.generation());
    ArrayNode components = node.putArray("components");
    for (int index = 0; index < map.components().size(); index++) {
      component(files, map, index, components.addObject());
    }
    ArrayNode attributes = node.putArray("attributeOsds");
    map.attributeOsds().forEach(osd -> attributes.add(Integer.toUnsignedLong(osd.value())));
    if (at.isPresent()) {
      place(BytePlace.of(layout, file.sizeBytes(), at.getAsLong()), node.putObject("at"))
          .put("offset", at.getAsLong());
    }
    return node;
  }

  private static void component(
      RemoteFiles files, StorageMap map, int index, ObjectNode component) {
    component
        .put("index", index)
        .put("group", index / map.layout().width())
        .put("osd", Integer.toUnsignedLong(map.osdOf(index).value()))
        .put("state", files.osd(map.osdOf(index)).map(RemoteFiles.OsdNode::state).orElse("unknown"))
        .put("missing", map.isMissing(index));
  }

  private static ObjectNode place(BytePlace place, ObjectNode node) {
    node.put("stripe", place.stripe())
        .put("group", place.group())
        .put("stripeInGroup", place.stripeInGroup())
        .put("unit", place.unit())
        .put("componentOffset", place.componentOffsetBytes());
    ArrayNode components = node.putArray("components");
    place.components().forEach(components::add);
    ArrayNode parities = node.putArray("parityComponents");
    place.parityComponents().forEach(parities::add);
    return node;
  }

  static ObjectNode of(FileStatus directory) {
    ObjectNode node =
        JsonNodeFactory.instance.objectNode().put("path", directory.path().toString());
    LayoutSpec wish = directory.defaultLayout().orElse(null);
    if (wish == null) {
      node.putNull("defaultLayout");
    } else {
      node.putObject("defaultLayout")
          .put("dataUnits", wish.dataUnits())
          .put("parityUnits", wish.parityUnits())
          .put("unitBytes", wish.unitBytes())
          .put("groups", wish.groups())
          .put("groupDepth", wish.groupDepth());
    }
    return node;
  }
}
