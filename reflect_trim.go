package memory

// exchanges divides a conversation so that no call is parted from its result: an
// exchange is one message, or a message with tool calls and everything up to the last
// of their results.
func exchanges(messages []ChatMessage) [][]ChatMessage {
	begins := make([]int, len(messages)) // where the exchange of each message begins
	caller := make(map[string]int)       // the last message with a call of this id
	for i, m := range messages {
		begins[i] = i
		if from, ok := caller[m.ToolCallID]; m.Role == RoleTool && ok {
			for j := begins[from]; j <= i; j++ {
				begins[j] = begins[from]
			}
		} else if m.Role == RoleTool && i > 0 { // whose result it is nobody knows
			begins[i] = begins[i-1]
		}
		for _, c := range m.ToolCalls {
			caller[c.ID] = i
		}
	}
	var out [][]ChatMessage
	for i := range messages {
		if begins[i] == i {
			out = append(out, nil)
		}
		out[len(out)-1] = append(out[len(out)-1], messages[i])
	}
	return out
}

// newest gives the newest exchanges that cost at most room together, and how many
// messages are left out. The newest one is always there, with its texts cut where it
// costs more.
func newest(all [][]ChatMessage, room int, cost func(ChatMessage) int) (kept [][]ChatMessage, left int) {
	from := len(all)
	for from > 0 {
		price := 0
		for _, m := range all[from-1] {
			price += cost(m)
		}
		if price > room && from < len(all) {
			break
		}
		room -= price
		from--
	}
	for _, exchange := range all[:from] {
		left += len(exchange)
	}
	kept = append(kept, all[from:]...)
	if room < 0 && len(kept) > 0 {
		kept[0] = cutTexts(kept[0], -room, cost)
	}
	return kept, left
}

// cutTexts gives an exchange that costs less by about this much, with its longest
// texts cut in their middle.
func cutTexts(exchange []ChatMessage, less int, cost func(ChatMessage) int) []ChatMessage {
	out := append([]ChatMessage(nil), exchange...)
	for less > 0 {
		longest := 0
		for i := range out {
			if len(out[i].Content) > len(out[longest].Content) {
				longest = i
			}
		}
		m := &out[longest]
		was := cost(*m)
		half := len([]rune(m.Content)) / 2
		if half < minPiece {
			break
		}
		m.Content, _ = headAndTail(m.Content, half)
		if is := cost(*m); is < was {
			less -= was - is
		} else {
			break
		}
	}
	return out
}
