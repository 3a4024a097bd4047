package org.weft.metadata.volume;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.weft.metadata.volume.NamesModel.Node;

/** What is to be seen of a model, line by line. */
final class NamesModelDump {
  private final List<String> lines = new ArrayList<>();

  List<String> of(Node root) {
    dump("/", root);
    return lines;
  }

  private void dump(String path, Node node) {
    long directories = node.children.values().stream().filter(child -> child.directory).count();
    String kind = node.target == null ? "f" : "l";
    lines.add(
        "%s %s %04o %s:%s size %d links %d entries %d -> %s, %s, %s, %s"
            .formatted(
                path,
                node.directory ? "d" : kind,
                node.mode,
                node.owner,
                node.group,
                node.size,
                node.directory ? 2 + directories : node.names,
                node.children.size(),
                node.target == null ? "" : node.target,
                node.target == null ? node.layout : "",
                node.xattrs,
                node.acl));
    for (Map.Entry<String, Node> child : node.children.entrySet()) {
      dump((path.equals("/") ? "" : path) + "/" + child.getKey(), child.getValue());
    }
  }
}
