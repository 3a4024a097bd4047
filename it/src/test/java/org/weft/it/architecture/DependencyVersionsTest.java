package org.weft.it.architecture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.w3c.dom.NodeList;

/** Which version of a library is used stands in one place: a property. */
class DependencyVersionsTest {
  private static final Path ROOT = Path.of("..");

  private static List<Path> poms() throws Exception {
    try (var files = Files.list(ROOT)) {
      return files.map(each -> each.resolve("pom.xml")).filter(Files::exists).sorted().toList();
    }
  }

  private static List<String> literalVersions(Path pom) throws Exception {
    NodeList all =
        DocumentBuilderFactory.newInstance()
            .newDocumentBuilder()
            .parse(pom.toFile())
            .getElementsByTagName("dependency");
    List<String> found = new ArrayList<>();
    for (int i = 0; i < all.getLength(); i++) {
      Element dependency = (Element) all.item(i);
      for (Node child = dependency.getFirstChild(); child != null; child = child.getNextSibling()) {
        if (child.getNodeName().equals("version") && !child.getTextContent().startsWith("${")) {
          found.add(pom + ": " + dependency.getTextContent().trim().replaceAll("\\s+", " "));
        }
      }
    }
    return found;
  }

  @Test
  void noModuleStatesAVersionOfItsOwn() throws Exception {
    List<Path> poms = poms();
    assertTrue(poms.size() > 5, poms::toString);
    List<String> found = new ArrayList<>();
    for (Path pom : poms) {
      found.addAll(literalVersions(pom));
    }
    found.addAll(literalVersions(ROOT.resolve("pom.xml")));
    assertEquals(List.of(), found);
  }
}
