package org.weft.simulator.coverage;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.weft.protocol.id.Lsn;

/** The table of rules names lines that are there, and every rule that is built. */
class RuleTableTest {
  private static final Path HOME = Path.of("..");

  @Test
  void everyRuleThatIsBuiltHasAPlace() throws IOException {
    Set<String> named =
        RuleTable.read(HOME).stream()
            .map(RuleRow::rule)
            .collect(Collectors.toCollection(TreeSet::new));
    assertEquals(RuleTable.rules(HOME), named);
    assertTrue(named.containsAll(Set.of("4.1", "5.9", "6.7")), named::toString);
  }

  @Test
  void everyPlaceHasAStatementThatCanBeCounted() throws IOException, ClassNotFoundException {
    List<RuleRow> rows = RuleTable.read(HOME);
    CountingLoader loader = new CountingLoader(rows, RuleTableTest.class.getClassLoader());
    List<RuleRow> empty = new ArrayList<>();
    for (RuleRow row : rows) {
      if (!loader.isCountable(row)) {
        empty.add(row);
      }
      // The class is verified as it is counted.
      var unused = Class.forName(row.className(), true, loader).getDeclaredMethods();
    }
    assertEquals(List.of(), empty);
  }

  @Test
  void aPlaceIsCountedEachTimeThatItIsReached() throws IOException, ReflectiveOperationException {
    List<RuleRow> rows = RuleTable.read(HOME);
    int row = 0;
    while (!rows.get(row).className().equals(Lsn.class.getName())) {
      row++;
    }
    Hits.begin();
    Class<?> counted =
        new CountingLoader(rows, RuleTableTest.class.getClassLoader())
            .loadClass(Lsn.class.getName());
    Object first = counted.getConstructor(long.class).newInstance(1L);
    call(counted, call(counted, first));
    assertEquals(2, Hits.of(row));
  }

  private static Object call(Class<?> counted, Object lsn)
      throws IllegalAccessException, NoSuchMethodException, InvocationTargetException {
    return counted.getMethod("next").invoke(lsn);
  }
}
