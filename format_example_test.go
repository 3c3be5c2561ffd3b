package memory_test

import (
	"fmt"
	"time"

	"github.com/rawko/memory"
)

func ExampleParse() {
	m, err := memory.Parse("oauth-too-broad.md", []byte(`---
title: "OAuth2 Integration Was Too Broad"
whenToUse: ["oauth|social.*auth", "considering auth approaches"]
tags: [failures, auth]
importance: medium
discoveredAt: 2026-01-23T10:45:00Z
discoveredBy: developer
---

# Why OAuth2 Was Rejected

The task asks for JWT only.

---

---
title: "OAuth2 Integration Was Too Broad"
tags: [scope]
importance: high
discoveredAt: 2026-02-01T08:00:00Z
discoveredBy: planner
---

## Correction

It comes with the next release.
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(m.Name, m.Importance, m.Tags, m.DiscoveredAt.Format(time.DateOnly))
	fmt.Printf("%q\n", m.Updates[0].Body)
	// Output:
	// oauth-too-broad high [failures auth scope] 2026-02-01
	// "## Correction\n\nIt comes with the next release."
}

func ExampleFormat() {
	data, err := memory.Format(&memory.Memory{
		Frontmatter: memory.Frontmatter{
			Title:        "Express Middleware Pattern",
			WhenToUse:    []string{"middleware|interceptor", `\bnext\(`},
			Tags:         []string{"patterns", "express"},
			Importance:   memory.High,
			DiscoveredAt: time.Date(2026, 1, 23, 10, 40, 0, 0, time.UTC),
			DiscoveredBy: "developer",
		},
		Body: "# Express Middleware Pattern\n\nAlways call `next()` on success.",
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(string(data))
	// Output:
	// ---
	// title: "Express Middleware Pattern"
	// whenToUse:
	//   - "middleware|interceptor"
	//   - "\\bnext\\("
	// tags: [patterns, express]
	// importance: high
	// discoveredAt: 2026-01-23T10:40:00Z
	// discoveredBy: developer
	// ---
	//
	// # Express Middleware Pattern
	//
	// Always call `next()` on success.
}
