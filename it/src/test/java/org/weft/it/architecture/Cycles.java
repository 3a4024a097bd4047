package org.weft.it.architecture;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * Cycles among top-level classes, where a nested class counts as the one around it, or packages.
 */
final class Cycles {
  private final Map<String, Set<String>> uses = new HashMap<>();

  private Cycles(
      JavaClasses classes, Function<JavaClass, String> unit, Predicate<Dependency> counts) {
    for (JavaClass each : classes) {
      Set<String> used = uses.computeIfAbsent(unit.apply(each), name -> new HashSet<>());
      for (Dependency dependency : each.getDirectDependenciesFromSelf()) {
        if (counts.test(dependency)) {
          used.add(unit.apply(dependency.getTargetClass().getBaseComponentType()));
        }
      }
    }
  }

  /** Those among these classes. */
  static Cycles ofClasses(JavaClasses classes) {
    return new Cycles(classes, Cycles::topLevel, dependency -> true);
  }

  /**
   * Those among the packages of these classes.
   *
   * @param counts false for a dependency that is not to be looked at
   */
  static Cycles ofPackages(JavaClasses classes, Predicate<Dependency> counts) {
    return new Cycles(classes, JavaClass::getPackageName, counts);
  }

  int size() {
    return uses.size();
  }

  /** Sets of more than so many names of which each uses all others, directly or not. */
  List<SortedSet<String>> above(int names) {
    Map<String, Set<String>> reached = new HashMap<>();
    uses.keySet().forEach(each -> reached.put(each, reachedFrom(each)));
    Set<SortedSet<String>> cycles = new HashSet<>();
    reached.forEach(
        (name, others) -> {
          SortedSet<String> cycle = new TreeSet<>();
          others.stream().filter(other -> reached.get(other).contains(name)).forEach(cycle::add);
          if (cycle.size() > names) {
            cycles.add(cycle);
          }
        });
    return List.copyOf(cycles);
  }

  private Set<String> reachedFrom(String start) {
    Set<String> reached = new HashSet<>();
    Deque<String> ahead = new ArrayDeque<>(uses.get(start));
    while (!ahead.isEmpty()) {
      String next = ahead.pop();
      if (uses.containsKey(next) && reached.add(next)) {
        ahead.addAll(uses.get(next));
      }
    }
    return reached;
  }

  private static String topLevel(JavaClass each) {
    int nested = each.getName().indexOf('$');
    return nested < 0 ? each.getName() : each.getName().substring(0, nested);
  }
}
